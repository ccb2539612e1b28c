// Games: the choice of players, the board, the moves so far; and replays of earlier games.

import { BoardDrawing } from "/page/board.js";
import { drawInside } from "./network.js";
import { action, ask, h, notice, tell, way } from "./dom.js";

const PERSON = "human";

// --- The choice of game and players --------------------------------------------------------------

export async function showPlay(place, opponent = "") {
  const games = await ask("games");
  const wanted = opponent.replace(/^run:/, "").replace(/@.*/, "");
  const listed = wanted ? (await ask("runs")).runs.find(({ run }) => run === wanted) : null;
  const row = listed && !listed.game ? (await ask("describe", { run: wanted })).row : listed; // the list waits for no run
  const own = row && !games.some(({ name }) => name === row.game);
  const select = h("select", { onchange: () => choose() }, ...games.map(({ name }) => h("option", { value: name }, name)));
  if (own) select.append(h("option", { value: row.game }, row.game));
  select.value = row?.game || games.find(({ usual }) => usual).name;
  const rest = h("div", { class: "stack" });
  place.append(h("h1", {}, "Play"), h("div", { class: "card row" }, h("label", {}, "Game", h("br"), select)), rest);

  let turn = 0;
  async function choose() {
    const own = ++turn;
    const game = games.find(({ name }) => name === select.value) || { name: select.value, options: [], seats: [2], title: select.value };
    const players = await ask("players", { game: game.name }).catch(() => ({ kinds: [], runs: [], usual: ["random"] }));
    if (own !== turn) return; // another game was chosen meanwhile
    const names = [
      ...players.runs.map(({ run }) => `run:${run}`), ...players.usual, ...players.kinds.map(({ form }) => form),
    ];
    const known = h("datalist", { id: "players" }, ...[PERSON, ...new Set(names)].map((name) => h("option", { value: name })));
    const count = h("select", { onchange: () => seat(), "aria-label": "number of players" }, ...game.seats.map((seats) => h("option", { value: seats }, `${seats} players`)));
    const options = game.options.map((option) => ({ ...option, input: option.type === "choice"
      ? h("select", {}, ...option.choices.map((value) => h("option", { value, selected: value === option.value }, String(value))))
      : h("input", { type: "number", min: option.lowest, max: option.highest, value: option.value }) }));
    const seats = h("div", { class: "fields" });
    let inputs = [];
    function seat() {
      const foe = opponent && row?.game === game.name ? opponent : names[0] || "random";
      inputs = Array.from({ length: Number(count.value) || 2 }, (_, number) => h("input", {
        list: "players", value: number ? foe : PERSON, "aria-label": `player ${number + 1}`, required: true,
      }));
      seats.replaceChildren(...inputs.map((input, number) => h("label", {}, number ? `Player ${number + 1}` : "Player 1, who moves first", h("br"), input)));
    }
    seat();
    const champions = players.runs.length ? `Champions in this folder: ${players.runs.map(({ run }) => `run:${run}`).join(", ")}.`
      : "There is no champion of this game yet: start a run.";
    rest.replaceChildren(h("form", { class: "card stack", "data-game": game.name, onsubmit: begin }, known,
      h("div", { class: "row between" }, h("h2", {}, "Players"), count, h("button", { type: "button", onclick: () => {
        const last = inputs.map((input) => input.value);
        inputs.forEach((input, number) => { input.value = last[(number + 1) % last.length]; });
      } }, "Change seats")), seats,
      h("p", { class: "quiet small" }, `${PERSON} is you, or another person at this computer. ${champions} run:NAME@GENERATION is an earlier one.`),
      options.length ? h("details", {}, h("summary", {}, "Options of the game"), h("div", { class: "fields" },
        ...options.map(({ key, input }) => h("label", {}, key.replace("game.", ""), h("br"), input)))) : null,
      h("button", { class: "main" }, "Begin")));

    async function begin(event) {
      event.preventDefault();
      const button = event.submitter;
      button.disabled = true;
      button.textContent = "Preparing … (takes some seconds the first time)";
      try {
        const seatsOption = games.find(({ name }) => name === game.name) && game.seats.length > 1;
        const changed = options.filter(({ input, value }) => Number(input.value) !== value);
        const given = Object.fromEntries(changed.map(({ key, input }) => [key.replace("game.", ""), Number(input.value)]));
        const made = inputs.some((input) => input.value.includes("run:"));
        const plain = made && !changed.length && !seatsOption;
        const found = await tell("play", {
          game: plain ? null : game.name, options: given,
          players: inputs.map((input) => input.value.trim()),
        });
        location.hash = way("game", found.id);
      } catch (error) {
        notice(error.message);
        button.disabled = false;
        button.textContent = "Begin";
      }
    }
  }
  await choose();
}

// --- A game --------------------------------------------------------------------------------------

/** A game in which programs move by themselves, at an adjustable speed. */
export async function showGame(place, id) {
  const act = (name, given = {}) => tell(`play/${id}`, { act: name, ...given });
  let game = await act("look");
  let shown = game;
  let ended = false, busy = false, paused = false, kept = false, looks = 0, playing = 0, plays = 0;
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const seats = h("ul", { class: "seats" });
  const played = h("div", { class: "played", role: "group", "aria-label": "Moves so far" });
  const says = h("p", { class: "quiet small", "aria-live": "polite" });
  const board = h("div", { class: "card" });
  const values = h("input", { type: "checkbox", onchange: () => think() });
  const inside = h("input", { type: "checkbox", onchange: () => look_inside() });
  const network = h("section", { class: "card", hidden: true });
  const speed = h("input", { type: "range", min: 0, max: 3000, step: 50, value: 500, "aria-label": "milliseconds between moves of programs" });
  const pause = h("button", { onclick: () => { paused = !paused; pause.textContent = paused ? "Continue" : "Pause"; if (!paused) run(); } }, "Pause");
  const watched = !game.replay && !game.seats.some(({ person }) => person);
  const { replay } = game;
  const drawing = new BoardDrawing(board, game.layout, { onMove: (move) => move_(move) });
  const button = (text, todo, given = {}) => h("button", { onclick: action(todo), ...given }, text);
  const undo = game.open && !watched && !replay ? button("Undo", async () => take(await act("undo"))) : null;
  const keep = replay ? null : button("Keep this game", async () => {
    const { file } = await act("keep");
    kept = keep.hidden = true;
    says.textContent = `Kept at the end of ${file}: Replay shows it, and imitation can learn from it.`;
  });
  const during = [ // buttons that make no sense once the game is over
    replay ? null : button("Hint", async () => { const { by, name } = await act("hint"); says.textContent = `${by} would play ${name}.`; }),
    game.seats.length === 2 && !watched && !replay ? button("Change sides", async () => { take(await act("swap")); run(); }) : null,
    watched || replay ? null : button("Resign", async () => take(await act("resign"))),
  ].filter(Boolean);
  const buttons = h("div", { class: "row" }, undo, ...during, keep,
    game.open ? button("Copy as text", async () => {
      const { text } = await act("text");
      await navigator.clipboard?.writeText(text).catch(() => {});
      says.textContent = `${text} (copied; the page Replay opens it)`;
    }) : null,
    h("a", { class: "button", href: "#/play" }, "New game"));
  const playback = h("button", { onclick: () => (playing ? stop() : play()) }, "Play");
  const jump = h("div", { class: "row" }, ...[["|◀", 0, "first"], ["◀", -1, "back"], ["▶", 1, "forward"], ["▶|", Infinity, "last"]].map(([text, by, label]) =>
    h("button", { "aria-label": label, onclick: action(() => turn(by === 0 ? 0 : by === Infinity ? game.played.length : shown.ply + by)) }, text)), playback);
  place.append(h("h1", { class: "capital" }, game.game.replaceAll("-", " ")), h("p", { class: "quiet" }, game.describe), h("div", { class: "game" }, h("div", { class: "stack" }, board, network),
    h("aside", { class: "card stack" }, status, seats, game.open || replay ? jump : null, played, says,
      game.open ? h("label", { class: "tick" }, values, "Show a program's value of each move") : null,
      game.open || watched ? h("label", { class: "tick" }, inside, "Show the network's activations") : null,
      h("label", {}, h("span", { class: "small quiet" }, "Time between moves"), h("br"), speed, watched ? pause : null), buttons)));
  const wait = () => new Promise((done) => setTimeout(done, Number(speed.value)));

  function take(found) {
    stop();
    looks += 1;
    game = shown = found;
    draw();
    think();
  }

  async function look(ply) {
    const own = ++looks;
    const found = await act("look", ply >= game.played.length ? {} : { ply: Math.max(0, ply) });
    if (own !== looks) return; // something else is looked at by now
    shown = found;
    draw();
    await think();
  }

  function turn(ply) {
    stop();
    return look(ply);
  }

  function stop() {
    playing = 0;
    playback.textContent = "Play";
  }

  /** Shows move after move, until the end or until it is stopped. */
  async function play() {
    const own = playing = ++plays;
    playback.textContent = "Stop";
    try {
      for (let ply = shown.ply < game.played.length ? shown.ply + 1 : 0; ply <= game.played.length; ply += 1) {
        await look(ply);
        await wait();
        if (own !== playing || ended) return;
      }
    } catch (error) {
      notice(error.message);
    }
    if (own === playing) stop();
  }

  function draw() {
    drawing.show(shown.drawing, shown.moves, { last: shown.last, disabled: !shown.yours });
    const names = shown.seats.map(({ name, side }) => (name === side ? name : `${name} (${side})`));
    seats.replaceChildren(...shown.seats.map((_, seat) => h("li", { class: shown.mover === seat ? "turn" : "" }, names[seat])));
    played.replaceChildren(...shown.played.map(({ move }, number) => h("button", {
      "aria-current": number + 1 === shown.ply ? "true" : null, title: `after move ${number + 1}`,
      onclick: action(() => turn(number + 1)),
    }, move)));
    jump.hidden = played.hidden = !shown.played.length;
    for (const each of during) each.hidden = game.mover === null;
    kept = kept && game.result !== null;
    if (keep) keep.hidden = kept || !game.result;
    if (undo) undo.hidden = !game.result && !game.played.some(({ seat }) => game.seats[seat].person);
    played.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    if (shown.result) status.textContent = shown.result.text;
    else if (shown.ply < game.played.length) status.textContent = `After move ${shown.ply} of ${game.played.length}.`;
    else if (shown.mover === null) status.textContent = "The game is over.";
    else status.textContent = shown.yours ? `${names[shown.mover]}: your move.` : `${names[shown.mover]} is thinking …`;
  }

  async function look_inside() {
    network.hidden = !inside.checked;
    if (!inside.checked) return;
    const position = shown;
    const found = await act("inside", { ply: shown.ply }).catch((error) => { notice(error.message); return {}; });
    if (position !== shown || ended) return;
    if (found.inside) drawInside(network, found.inside);
    else if (!network.querySelector("svg")) network.replaceChildren(h("p", { class: "quiet" }, "No player here has a network that takes this position as its input."));
    network.classList.toggle("before", !found.inside); // the last network stays, paler
    if (found.inside) network.prepend(h("h2", {}, `Activations of ${found.by}`));
  }

  async function think() {
    look_inside();
    if (!values.checked) return drawing.show(shown.drawing, shown.moves, { last: shown.last, disabled: !shown.yours });
    const position = shown;
    const found = await act("values", { ply: shown.ply }).catch((error) => { notice(error.message); return { values: {} }; });
    if (position !== shown || !values.checked || ended) return; // the answer is about another ply
    says.textContent = found.by ? `Values by ${found.by}.` : "No program here rates moves.";
    const limits = { wins: Infinity, loses: -Infinity };
    const numbers = Object.fromEntries(Object.entries(found.values).map(([move, value]) => [move, limits[value] ?? value]));
    drawing.show(shown.drawing, shown.moves, { last: shown.last, values: numbers, disabled: !shown.yours });
  }

  async function move_(move) {
    if (busy) return;
    busy = true;
    board.ariaBusy = "true"; // until the answer arrives, clicks would be for an old board
    try {
      take(await act("play", { move }));
    } catch (error) {
      notice(error.message);
    } finally {
      busy = false;
      board.ariaBusy = "false";
    }
    run();
  }

  async function run() {
    if (busy) return;
    busy = true;
    try {
      while (!ended && !paused && game.result === null && game.mover !== null && !game.seats[game.mover].person) {
        const [found] = await Promise.all([act("step"), wait()]);
        if (ended) return;
        take(found);
      }
    } catch (error) {
      if (!ended) notice(error.message);
    } finally {
      busy = false;
    }
  }

  /** Tells the server to end the game's process, unless the page comes back soon. */
  function leave() {
    navigator.sendBeacon(`/api/play/${id}`, new Blob(['{"act": "leave"}'], { type: "application/json" }));
  }
  const come_back = ({ persisted }) => { if (persisted) act("look").catch((error) => notice(error.message)); };
  addEventListener("pagehide", leave);
  addEventListener("pageshow", come_back);
  draw();
  if (!replay) run();
  return () => {
    ended = true;
    removeEventListener("pagehide", leave);
    removeEventListener("pageshow", come_back);
    leave();
  };
}

// --- Replays --------------------------------------------------------------------------------------

export async function showReplay(place) {
  const [games, files] = await Promise.all([ask("games"), ask("files")]);
  const select = h("select", {}, ...games.map(({ name }) => h("option", { value: name }, name)));
  select.value = games.find(({ usual }) => usual).name;
  const text = h("textarea", { placeholder: "33445 … or 11-15 23-19, in the game's notation; or a PDN file, or kept games", "aria-label": "Moves" });
  const upload = h("input", { type: "file", accept: ".txt,.pdn,.jsonl", onchange: action(async () => { text.value = (await upload.files[0].text()).slice(0, 900000); }) });
  const found = h("div");
  const open = async (given) => {
    const kept = await tell("replay", { game: select.value, ...given });
    if (kept.length === 1) return look(kept[0]);
    found.replaceChildren(h("div", { class: "card scroll" }, h("h2", {}, `${kept.length} games`), h("table", { class: "cards" },
      h("tbody", {}, ...kept.map((each, number) => h("tr", {}, h("td", { class: "number" }, String(number + 1)),
        h("td", { class: "wide" }, h("button", { onclick: action(() => look(each)) }, each.players.join(" – "))),
        h("td", { class: "wide number small" }, `${each.game}, ${each.numbers.length} moves`), h("td", { class: "wide small quiet" }, each.sentence)))))));
    found.scrollIntoView({ block: "start" });
  };
  const look = async (kept) => {
    const { id } = await tell("play", { game: kept.game, options: kept.options, players: kept.players.map(() => PERSON),
      names: kept.players, numbers: kept.numbers, seed: kept.seed });
    location.hash = way("game", id);
  };
  place.append(h("h1", {}, "Replay"), h("div", { class: "two" },
    h("form", { class: "card stack", onsubmit: async (event) => { event.preventDefault(); await open({ text: text.value }).catch((error) => notice(error.message)); } },
      h("h2", {}, "Moves"), h("label", {}, "Game", h("br"), select), h("label", {}, "Moves", h("br"), text),
      h("label", {}, "or from a file", h("br"), upload), h("button", { class: "main" }, "Open")),
    h("section", { class: "card stack" }, h("h2", {}, "Kept games"), files.length
      ? h("ul", {}, ...files.map((file) => h("li", {}, h("button", { onclick: action(() => open({ file })) }, file))))
      : h("p", { class: "quiet" }, "There are none in this folder. ", h("code", {}, "evolve duel A B --keep-games evolved/games.jsonl"), " keeps the games of a duel."))), found);
}
