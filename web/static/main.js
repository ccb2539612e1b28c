// The choice of page, by the part of the address behind the #.

import { h, notice } from "./dom.js";
import { showCompare, showRun, showRuns } from "./runs.js";
import { showStart } from "./start.js";
import { showGame, showPlay, showReplay } from "./play.js";

const pages = {
  runs: showRuns, run: showRun, compare: showCompare, start: showStart,
  play: showPlay, game: showGame, replay: showReplay,
};
const section = { run: "runs", compare: "runs", game: "play" };

const view = document.getElementById("view");
let leave = null;
let turn = 0;

async function route(moved) {
  const [name, ...given] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const page = pages[name] ? name : "runs";
  const own = ++turn;
  leave?.();
  leave = null;
  for (const link of document.querySelectorAll("nav a")) {
    const here = link.hash === `#/${section[page] || page}`;
    here ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  const place = h("div", { class: "stack" });
  const loading = h("p", { class: "quiet", role: "status" }, "Loading …");
  view.replaceChildren(place, loading);
  if (moved) view.focus();
  try {
    const end = await pages[page](place, ...given);
    if (own === turn) leave = end || null;
    else end?.();
  } catch (error) {
    place.replaceChildren(h("h1", {}, "An error occurred"), h("p", { class: "error" }, error.message),
      h("p", {}, h("a", { href: "#/runs" }, "Back to all runs")));
  } finally {
    loading.remove();
  }
  document.title = `${view.querySelector("h1")?.textContent || "Runs"} – Evolve Arena`;
}

addEventListener("hashchange", () => route(true));
// A folded element can't have the focus: a browser would not report a wrong value in it.
addEventListener("invalid", ({ target }) => target.closest("details")?.setAttribute("open", ""), true);
addEventListener("unhandledrejection", (event) => notice(event.reason?.message || "something went wrong"));
route(false);
