// The list of runs, one run, and several runs compared.

import { Areas, Chart } from "./charts.js";
import { action, ask, duration, h, link, listen, notice, percent, tell, way, whole } from "./dom.js";

const STATES = {
  running: "running", complete: "complete", stopped: "stopped", new: "not started", damaged: "damaged", reading: "being read",
};

const state = (row) => h("span", { class: `state ${row.state}` }, STATES[row.state] || row.state);

function tellCheck(check) {
  if (!check) return "–";
  const won = `${percent(check.won)} [${(100 * check.low).toFixed(1)}, ${(100 * check.high).toFixed(1)}]`;
  return `${won} of ${whole(check.games)} against ${check.opponent}`;
}

export async function showRuns(place) {
  const chosen = new Set();
  const find = h("input", { type: "search", placeholder: "Find …", "aria-label": "Find runs", oninput: draw });
  const compare = h("a", { class: "button" }, "Compare");
  const body = h("tbody");
  const table = h("table", { class: "cards" }, h("thead", {}, h("tr", {},
    ...["", "run", "state", "generation", "newest check, 95 % interval", "written"].map((text) => h("th", {}, text)))), body);
  const folder = h("p", { class: "quiet small mono" });
  const list = h("div", { class: "card scroll" });
  place.append(h("div", { class: "row between" }, h("div", {}, h("h1", {}, "Runs"), folder),
    h("div", { class: "row" }, find, compare, h("a", { class: "button main", href: "#/start" }, "Start a run"))), list);
  let rows = [];

  function draw() {
    compare.toggleAttribute("aria-disabled", chosen.size < 2);
    compare.href = chosen.size < 2 ? "#/runs" : way("compare", [...chosen].join(","));
    compare.textContent = chosen.size < 2 ? "Compare: choose two" : `Compare ${chosen.size}`;
    if (!rows.length) {
      list.replaceChildren(h("p", {}, "No runs yet. ", h("a", { href: "#/start" }, "Start one here"),
        ", or in a terminal: ", h("code", {}, "evolve start RECIPE")));
      return;
    }
    const wanted = find.value.toLowerCase();
    const shown = rows.filter((row) => `${row.run} ${row.title} ${row.game} ${row.method}`.toLowerCase().includes(wanted));
    const focused = document.activeElement?.dataset?.run;
    body.replaceChildren(...shown.map((row) => drawRow(row)));
    list.replaceChildren(shown.length ? table : h("p", { class: "quiet" }, "No run matches."));
    if (focused) body.querySelector(`input[data-run="${CSS.escape(focused)}"]`)?.focus();
  }

  function drawRow(row) {
    const box = h("input", {
      type: "checkbox", "data-run": row.run, "aria-label": `compare ${row.run}`, checked: chosen.has(row.run),
      onchange: () => { box.checked ? chosen.add(row.run) : chosen.delete(row.run); draw(); },
    });
    const share = row.generations ? row.generation / row.generations : 0;
    return h("tr", {}, h("td", {}, box),
      h("td", { class: "wide" }, link(row.run, "run", row.run), h("br"), h("span", { class: "quiet small" },
        row.trouble || row.title || "untitled", row.game ? ` · ${row.game}, ${row.method}` : "")),
      h("td", { class: "wide" }, state(row), row.ending ? h("div", { class: "error small" }, row.ending) : null),
      h("td", { class: "number wide" }, h("progress", { value: share, "aria-label": `${Math.round(100 * share)} %` }),
        h("br"), h("span", { class: "small" }, `${whole(row.generation)} of ${whole(row.generations)}`)),
      h("td", { class: "wide small", "data-label": "newest check:" }, tellCheck(row.check)),
      h("td", { class: "number wide small", "data-label": "written:" }, `${duration(Math.max(0, Date.now() / 1000 - row.updated))} ago`));
  }

  function take(found) {
    if (found.error) return notice(found.error);
    rows = found.runs;
    folder.textContent = found.folder;
    draw();
  }
  take(await ask("runs"));
  return listen([], take);
}

// --- Curves -----------------------------------------------------------------------------------

/** The charts of one run or of several, where there is data. */
class Curves {
  constructor(place) {
    this.place = place;
    this.charts = new Map();
  }

  chart(key, ...given) {
    if (!this.charts.has(key)) {
      this.charts.set(key, new Chart(...given));
      this.place.append(this.charts.get(key).element);
    }
    return this.charts.get(key);
  }

  /** Draws `records` by name. */
  show(records) {
    const entries = Object.entries(records);
    const alone = entries.length === 1;
    const columns = (name) => entries.filter(([, record]) => record.statistics[name]).map(([run, record]) =>
      ({ run, record, hue: alone ? 0 : Object.keys(records).indexOf(run) % 7, x: record.statistics.generation, y: record.statistics[name] }));
    const plain = (name, label) => columns(name).map(({ run, hue, x, y }) => ({ name: alone ? label : run, hue, x, y }));
    const rated = entries.filter(([, record]) => record.ratings.length > 1);
    if (rated.length) {
      this.chart("ratings", "Strength: the run's champions against each other",
        "Elo above the first champion, with 95 % intervals. It rises as long as later champions beat earlier ones.", {})
        .show(rated.map(([run, { ratings }]) => ({
          name: alone ? "Elo" : run, hue: alone ? 0 : Object.keys(records).indexOf(run) % 7, dots: ratings.length < 60,
          x: ratings.map((each) => each.generation), y: ratings.map((each) => each.elo),
          low: ratings.map((each) => each.low), high: ratings.map((each) => each.high),
        })));
    }
    this.chart("checks", "Checks: games won against external players",
      "Results of the champion at that time, with 95 % intervals: its strength.", { low: 0, high: 1 })
      .show(entries.flatMap(([run, record], place) => checkSeries(run, record.checks, alone, place)));
    if (columns("best").length || !columns("error").length) {
      this.chart("fitness", "Fitness within the population",
        "Relative to the population: it does not measure strength. The band is the middle half.", {})
        .show(columns("best").flatMap(({ run, record, hue, x, y }) => [
          { name: alone ? "best" : run, hue, x, y },
          ...(alone ? [{ name: "median", hue: 1, x, y: record.statistics.median,
            low: record.statistics.lower_quartile, high: record.statistics.upper_quartile }] : []),
        ]));
    }
    const more = [
      ["error", "Error of the learner", "Mean distance of values from their targets.", "error"],
      ["plies", "Length of games", "Plies.", "plies"],
      ["diversity", "Diversity", "Mean distance between genomes: in units of genes, or NEAT's distance.", "diversity"],
      ["species", "Number of species", "Living species.", "species"],
      ["connections", "Connections", "Mean number of enabled connections.", "connections"],
      ["hidden_nodes", "Hidden nodes", "Mean number.", "hidden nodes"],
    ];
    for (const [name, title, remark, label] of more) {
      if (columns(name).length) this.chart(name, title, remark, { height: 160, low: 0 }).show(plain(name, label));
    }
    if (entries.some(([, record]) => record.adapts)) {
      this.chart("strength", "Step size of mutation", "Median of the population.", { height: 160, low: 0 }).show(plain("mutation_strength", "step size"));
    }
    if (alone && entries[0][1].species.length) {
      const { species, statistics } = entries[0][1];
      this.areas ??= new Areas("Sizes of the species", "Number of individuals, the oldest species at the bottom; grey: all others together.");
      this.areas.show(species.map(({ number, colour, sizes }) =>
        ({ name: number === null ? "others" : String(number), colour, x: statistics.generation, sizes })));
      if (!this.areas.element.isConnected) this.place.append(this.areas.element);
    }
  }
}

const DASHES = ["", "6 3", "2 3", "9 3 2 3"];

function checkSeries(run, checks, alone, place) {
  const opponents = [...new Set(checks.map((check) => check.opponent))];
  return opponents.map((opponent, number) => {
    const met = checks.filter((check) => check.opponent === opponent);
    return {
      name: alone ? opponent : `${run}: ${opponent}`, hue: (alone ? number : place) % 7,
      dash: alone ? "" : DASHES[number % DASHES.length], dots: met.length < 60,
      x: met.map((check) => check.generation), y: met.map((check) => check.won),
      low: met.map((check) => check.low), high: met.map((check) => check.high),
    };
  });
}

const PICTURES = {
  ancestors: "Plot each champion against its ancestors", network: "Draw the champion's network", fitness: "Plot all curves",
};

// --- One run ------------------------------------------------------------------------------------

export async function showRun(place, run) {
  const found = await ask("describe", { run });
  const head = h("div", { class: "row between" });
  const trouble = h("p", { class: "error" }, found.trouble || "");
  const curves = h("div", { class: "two" });
  const facts = h("div", { class: "two" });
  place.append(head, trouble, curves, facts);
  const drawn = new Curves(curves);
  let known = "";

  const acts = h("span", { class: "row" }), links = h("span", { class: "row" });
  const buttons = h("div", { class: "row" }, acts, links);
  let offered = "";

  // Buttons stay while their action stays: one that is replaced under the mouse loses its click.
  function drawButtons(row, own) {
    if (links.childElementCount !== 1 + (found.champions.length > 0)) {
      const champion = h("a", { class: "button main", href: way("play", `run:${run}`) }, "Play against the champion");
      links.replaceChildren(...(found.champions.length ? [champion] : []), h("a", { class: "button", href: way("start", `run:${run}`) }, "Start a similar run"));
    }
    const key = JSON.stringify([row.state, own]);
    if (key === offered) return;
    offered = key;
    const more = h("input", { type: "number", min: row.generation + 1, step: 1, value: Math.max(row.generations, row.generation + 10),
      "aria-label": "generations in all", class: "number" });
    const going = row.state === "running";
    const list = [];
    if (going && own) {
      list.push(h("button", { onclick: action(async () => { await tell("stop", { run }); notice("The run stops after a checkpoint."); }) }, "Stop"));
    }
    if (!going && row.state !== "damaged") {
      list.push(h("span", { class: "row" }, row.state === "complete" ? more : null, h("button", {
        class: row.state === "complete" ? "" : "main",
        onclick: action(async () => {
          const given = row.state === "complete" ? { generations: Number(more.value) } : {};
          await tell("resume", { run, ...given });
        }),
      }, row.state === "complete" ? "Continue to this generation" : row.state === "new" ? "Start" : "Resume")));
    }
    acts.replaceChildren(...list);
  }

  const told = h("div", { class: "grow" }); // has a fixed share of the width, so buttons don't move when it changes
  head.append(told, buttons);

  function drawHead(row, own) {
    const key = JSON.stringify([row.state, row.generation, row.checking, own]);
    if (key === known) return;
    known = key;
    drawButtons(row, own);
    const going = row.state === "running";
    told.replaceChildren(h("h1", {}, run), h("p", { class: "quiet" }, row.title),
      h("div", { class: "row" }, state(row), h("progress", { value: row.generations ? row.generation / row.generations : 0, "aria-label": "progress" }),
        h("span", { class: "small quiet" }, `generation ${whole(row.generation)} of ${whole(row.generations)}; ${whole(row.games)} games in ${duration(row.seconds)}`), h("span", { class: "small quiet" }, remaining)));
    timeLeft(row, going);
  }

  // Counts down by itself: in a long check nothing else changes.
  const remaining = h("span");
  let ticking = 0;
  function timeLeft(row, going) {
    clearInterval(ticking);
    const show = () => {
      const left = Math.max(0, row.left - Math.max(0, Date.now() / 1000 - row.updated));
      remaining.textContent = !going || row.left === null ? "" : `${row.checking ? "check in progress; " : ""}${duration(left)} left`;
    };
    show();
    if (going) ticking = setInterval(show, 1000);
  }

  function drawFacts() {
    const summary = found.summary;
    const entries = [];
    if (summary) {
      entries.push(["method", summary.method], ["seed", String(summary.seed)]);
      for (const [key, value] of Object.entries(summary.population)) entries.push([key.replaceAll("_", " "), typeof value === "number" ? value.toLocaleString("en") : String(value)]);
      for (const node of summary.nodes) {
        const again = node.lost || node.late ? `, ${whole(node.lost)} lost and ${whole(node.late)} late` : "";
        const who = node.workers ? `${whole(node.workers)} workers` : "gone";
        entries.push([`node ${node.name}`, `${who}, ${whole(node.rate)} games/s, ${whole(node.done)} parts done${again}`]);
      }
      entries.push(["checkpoints", summary.checkpoints.join(", ") || "none"], ["population SHA-256", summary.population_sha256]);
    }
    for (const [key, value] of Object.entries(found.network || {})) entries.push([`network: ${key}`, Array.isArray(value) ? value.join(", ") || "none" : String(value)]);
    const champions = found.champions.slice(-24).reverse();
    facts.replaceChildren(
      h("section", { class: "card" }, h("h2", {}, "Facts"), h("dl", {}, ...entries.flatMap(([key, value]) =>
        [h("dt", {}, key), h("dd", { class: key.includes("SHA") ? "mono" : "" }, value)])),
        ...(summary?.warnings || []).map((text) => h("p", { class: "warning small" }, text))),
      h("section", { class: "card" }, h("h2", {}, "Champions"), champions.length
        ? h("p", { class: "row small" }, ...champions.map((generation) => link(`generation ${generation}`, "play", `run:${run}@${generation}`)))
        : h("p", { class: "quiet" }, "None yet: the first check is still to come.")),
      h("section", { class: "card" }, h("h2", {}, "Recipe"), h("pre", { tabindex: 0 }, found.recipe)),
      h("section", { class: "card stack" }, h("h2", {}, "Pictures"),
        h("p", { class: "row" }, ...Object.entries(PICTURES).map(([what, text]) => h("button", { onclick: action(async (event) => {
          event.currentTarget.textContent = "Drawing …";
          try { Object.assign(found, await tell("draw", { run, what })); } finally { drawFacts(); }
        }) }, text))),
        ...found.plots.map((file) => {
          const address = `/plots?${new URLSearchParams({ run, file, at: Date.now() })}`;
          return h("a", { href: address }, h("img", { src: address, alt: `${file} of ${run}`, loading: "lazy", width: "100%" }));
        })));
  }

  drawFacts();
  let asking = false, newest = null;
  take(await ask("record", { run }));
  async function take(news) {
    if (news.error) return notice(news.error);
    const { row } = news;
    newest = news;
    trouble.textContent = news.ending || news.trouble || found.trouble;
    drawHead(row, news.own);
    drawn.show({ [run]: news });
    const last = Math.max(-1, ...news.checks.map((check) => check.generation));
    const incomplete = found.trouble || !found.summary;
    const mended = found.trouble && !news.trouble; // it was read while it was written
    if (asking || !(last > Math.max(-1, ...found.champions) || row.state !== found.row.state || mended
      || (incomplete && row.generation !== found.row.generation))) return;
    asking = true;
    const again = await ask("describe", { run }).catch(() => null);
    asking = false;
    if (!again) return;
    Object.assign(found, again);
    trouble.textContent = found.ending || news.trouble || found.trouble;
    known = "";
    drawHead(found.row, found.own);
    drawFacts();
    if (newest !== news) await take(newest);
  }
  const end = listen([run], take);
  return () => { clearInterval(ticking); end(); };
}

/** Plays a round robin between the champions of runs, and shows their ratings. */
function drawMeeting(runs, usual) {
  const others = usual.map((name) => h("input", { type: "checkbox", value: name, checked: name === "random" || name === usual[0] }));
  const games = h("input", { type: "number", min: 2, max: 1000, step: 2, value: 100, class: "number", "aria-label": "games of each pair" });
  const result = h("div", { class: "scroll", "aria-live": "polite" });
  const button = h("button", { class: "main", onclick: action(async () => {
    button.textContent = "Playing …";
    try {
      result.replaceChildren(...drawRatings(await tell("rate", {
        runs, games: Number(games.value), others: others.filter(({ checked }) => checked).map(({ value }) => value),
      })));
    } finally {
      button.textContent = "Play a round robin";
    }
  }) }, "Play a round robin");
  return h("section", { class: "card stack" }, h("h2", {}, "Ratings"),
    h("p", { class: "quiet small" }, "A round robin between their newest champions and external players; games without chance begin with random openings."),
    h("p", { class: "row" }, button, h("label", { class: "row small" }, games, "games of each pair; with three or more players, in all")),
    h("p", { class: "row small" }, "External players:", ...others.map((box) => h("label", { class: "tick" }, box, box.value))), result);
}

const between = (value, [low, high], digits = 3) => `${value.toFixed(digits)} [${low.toFixed(digits)}, ${high.toFixed(digits)}]`;

function drawRatings(content) {
  const order = content.players.map((player) => player.name);
  const write = (name) => {
    const { run, generation } = content.champions[name] || {};
    if (!run) return [name];
    return [link(run, "run", run), typeof generation === "number" ? `, champion of generation ${whole(generation)}` : ", champion"];
  };
  const met = content.crosstable || {};
  const rows = content.players.map((player) => h("tr", {}, h("td", { class: "number" }, String(player.rank)), h("td", { class: "wide" }, ...write(player.name)),
    ...(content.crosstable
      ? [player.elo === null ? "–" : `${player.elo > 0 ? "+" : ""}${player.elo.toFixed(0)} ± ${player.elo_error_95.toFixed(0)}`,
        between(player.score, player.wilson_95), ...order.map((name) => (name in met[player.name] ? met[player.name][name].toFixed(2) : ""))]
      : [`${player.mu.toFixed(1)} ± ${(2 * player.sigma).toFixed(1)}`, between(player.share, player.wilson_95),
        player.points_95 ? between(player.points, player.points_95, 1) : player.points.toFixed(1)]
    ).map((text) => h("td", { class: "number" }, text))));
  const titles = content.crosstable ? ["Elo", "score, 95 % interval", ...order.map((_, place) => `against ${place + 1}`)]
    : ["rating ± 2σ", "share of wins, 95 % interval", "points"];
  return [h("table", {}, h("thead", {}, h("tr", {}, ...["", "player", ...titles].map((text) => h("th", {}, text)))), h("tbody", {}, ...rows)),
    ...(content.warnings || []).map((text) => h("p", { class: "warning small" }, text))];
}

export async function showCompare(place, names = "") {
  const runs = names.split(",").filter(Boolean).slice(0, 7);
  if (runs.length < 2) throw new Error("choose two or more runs in the list of runs");
  const table = h("div", { class: "card scroll" });
  const curves = h("div", { class: "two" });
  const meeting = h("div");
  place.append(h("h1", {}, `${runs.length} runs compared`), table, meeting, curves);
  const drawn = new Curves(curves);
  const records = {};
  function draw() {
    const known = Object.fromEntries(runs.filter((run) => records[run]).map((run) => [run, records[run]]));
    drawn.show(known);
    table.replaceChildren(h("table", { class: "cards" }, h("thead", {}, h("tr", {}, ...["run", "state", "generation", "games", "newest check"].map((text) => h("th", {}, text)))),
      h("tbody", {}, ...Object.entries(known).map(([run, record]) => h("tr", {}, h("td", {}, link(run, "run", run)), h("td", {}, state(record.row)),
        h("td", { class: "number wide", "data-label": "generation:" }, `${whole(record.row.generation)} of ${whole(record.row.generations)}`),
        h("td", { class: "number wide", "data-label": "games:" }, whole(record.row.games)),
        h("td", { class: "wide", "data-label": "newest check:" }, tellCheck(record.row.check)))))));
  }
  await Promise.all(runs.map(async (run) => { records[run] = await ask("record", { run }); }));
  draw();
  const played = [...new Set(runs.map((run) => records[run].row.game))];
  if (played.length === 1) {
    ask("players", { game: played[0] }).then(({ usual }) => meeting.replaceChildren(drawMeeting(runs, usual)), () => null);
  }
  return listen(runs, (news) => { if (!news.error) { records[news.run] = news; draw(); } });
}
