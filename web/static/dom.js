// Elements, requests and texts. Data only ever becomes text, never HTML.

/** An element: `h("p", {class: "quiet", onclick: act}, "text", child)`. */
export function h(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(given)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (typeof value === "boolean" || key === "value") element[key] = value;
    else if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Returns the server's answer; an error has its sentence. */
export async function ask(path, given = {}) {
  const query = new URLSearchParams(given).toString();
  return read(await fetch(`/api/${path}${query ? `?${query}` : ""}`));
}

/** Tells the server to do something, and waits until it is done. */
export async function tell(path, given = {}) {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify(given);
  let found;
  do found = await read(await fetch(`/api/${path}`, { method: "POST", headers, body }));
  while (found.later);
  return found;
}

async function read(response) {
  const found = await response.json().catch(() => ({ error: `the server says ${response.status}` }));
  if (!response.ok) throw new Error(found.error || `the server says ${response.status}`);
  return found;
}

/** Calls `react` with news of some runs, or of all if none are named; returns a function that ends it.
 *  A page has one such stream, and only while it is seen: a browser has six connections to a host. */
export function listen(runs, react) {
  const address = `/api/events?${new URLSearchParams(runs.map((run) => ["run", run]))}`;
  let source = null;
  function follow() {
    source?.close();
    source = document.hidden ? null : new EventSource(address);
    if (!source) return;
    source.onmessage = (event) => react(JSON.parse(event.data));
    source.onerror = ({ target }) => { // refused for good, such as after a restart of the server: any answer says why
      if (target.readyState === EventSource.CLOSED) ask("runs").catch((error) => notice(error.message));
    };
  }
  document.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    document.removeEventListener("visibilitychange", follow);
    source?.close();
  };
}

let timer = 0;
/** Shows a sentence for some seconds. */
export function notice(text) {
  const place = document.getElementById("notice");
  place.replaceChildren(h("p", {}, text));
  clearTimeout(timer);
  timer = setTimeout(() => place.replaceChildren(), 7000);
}

/** A button's action, whose errors are shown. */
export function action(act) {
  return async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    try {
      await act(event);
    } catch (error) {
      notice(error.message);
    } finally {
      button.disabled = false;
    }
  };
}

export const percent = (value) => (value === null ? "–" : `${(100 * value).toFixed(1)} %`);
export const whole = (value) => Math.round(value).toLocaleString("en");
export const link = (text, ...parts) => h("a", { href: way(...parts) }, text);
export const way = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;

/** A duration as text. */
export function duration(seconds) {
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["min", 60]]) {
    if (seconds >= size) return `${(seconds / size).toFixed(seconds < 10 * size ? 1 : 0)} ${unit}`;
  }
  return `${Math.round(seconds)} s`;
}
