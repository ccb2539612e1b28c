// A page that was opened as a file may start no worker: its search works in a frame instead.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inner = frame.contentWindow;
      inner.document.open();
      inner.document.write("<!doctype html><title>Search</title>");
      inner.document.close();
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.inner = inner;
      this.ready = new Promise((resolve) => {
        const script = inner.document.createElement("script");
        script.src = url;
        script.onload = resolve;
        inner.document.head.append(script);
      });
    }

    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
  window.Worker = window.IFrameWorker; // the search finds its own address by that name
}
