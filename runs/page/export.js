// The page of an exported bot: `bot` and `layout` stand before.

const game = (() => {
  const find = (id) => document.getElementById(id);
  const side = find("side"), status = find("status"), PAUSE = 350;
  const people = layout.sides.map((name, seat) => [String(seat), name]);
  for (const [value, name] of [...people, ["all", "all sides"], ["", "none: watch"]]) {
    side.append(new Option(name, value));
  }
  const depth = find("depth"), usual = bot.ask_depth ? bot.ask_depth() : -1;
  find("ahead").hidden = usual < 0;
  for (let plies = 0; usual >= 0 && plies <= Math.max(usual, 6); plies++) {
    const name = plies === 1 ? "1 ply" : plies ? `${plies} plies` : "no plies";
    depth.append(new Option(name, String(plies), plies === usual, plies === usual));
  }
  const board = new BoardDrawing(find("board"), layout, { onMove: (text) => play(Number(text)) });
  let line = [], turn = 0, showsValues = false;

  const now = () => line[line.length - 1].position;
  const isPerson = (seat) => side.value === "all" || side.value === String(seat);

  function ask(position) {
    const moves = bot.ask_moves(position), names = bot.ask_names(position);
    const paths = layout.kind === "text" ? moves.map(() => []) : bot.ask_paths(position);
    return moves.map((move, place) => ({
      move: String(place), name: names[place], path: paths[place][0] || [], paths: paths[place], is: move,
    }));
  }

  function describeEnd(position) {
    const places = bot.ask_places(position), first = places.flatMap((p, seat) => (p === 1 ? [seat] : []));
    if (first.length > 1) return first.length === places.length ? "A draw." : "Several share the win.";
    const name = layout.sides[first[0]];
    if (side.value === "all" || side.value === "") return `${name} has won.`;
    return isPerson(first[0]) ? `You have won as ${name}.` : `${name} has won: the bot.`;
  }

  function show() {
    const position = now(), moves = ask(position), seat = bot.ask_seat(position);
    const { played } = line[line.length - 1], mine = isPerson(seat) && moves.length > 0;
    const values = showsValues && moves.length
      ? Object.fromEntries(bot.ask_values(position).map((value, place) => [String(place), value]))
      : null;
    const drawing = { panels: [], to_move: moves.length ? seat : null, pieces: [], text: "" };
    if (layout.kind === "text") drawing.text = bot.ask_text(position);
    else drawing.pieces = bot.ask_pieces(position);
    board.show(drawing, mine || values ? moves : [], {
      last: played, values, disabled: !mine,
      told: played ? `${layout.sides[played.seat]} played ${played.name}.` : "",
    });
    const name = layout.sides[seat];
    status.textContent = !moves.length ? describeEnd(position)
      : mine ? `Your turn: ${name}.` : `The bot thinks for ${name} …`;
    find("undo").disabled = line.length < 2;
    if (moves.length && !mine) setTimeout(answer, PAUSE, ++turn);
    return moves;
  }

  function answer(number) {
    if (number !== turn) return; // somebody began a new game, or took a move back
    try {
      const chosen = usual < 0 ? bot.ask_bot(now()) : bot.ask_ahead(now(), Number(depth.value));
      play(ask(now()).findIndex((move) => py.eq(move.is, chosen)));
    } catch (error) {
      status.textContent = `The bot failed: ${error.message}`;
      throw error;
    }
  }

  function play(place) {
    const position = now(), move = ask(position)[place];
    line.push({
      position: bot.play_on_page(position, move.is),
      played: { name: move.name, path: move.path, seat: bot.ask_seat(position), is: move.is },
    });
    turn++;
    show();
  }

  function begin() {
    turn++;
    line = [{ position: bot.begin_page(), played: null }];
    show();
  }

  find("new").addEventListener("click", begin);
  find("undo").addEventListener("click", () => {
    turn++;
    do line.pop();
    while (line.length > 1 && people.some((_, seat) => isPerson(seat))
      && !isPerson(bot.ask_seat(now())));
    show();
  });
  find("values").addEventListener("click", () => {
    showsValues = !showsValues;
    find("values").setAttribute("aria-pressed", String(showsValues));
    turn++;
    show();
  });
  for (const choice of [side, depth]) choice.addEventListener("change", () => { turn++; show(); });
  begin();
  return { line: () => line, ask, now };
})();
