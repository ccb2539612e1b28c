// Draws a board in SVG and lets people play on it; see players/board_view.py for what it is given.

const SVG = "http://www.w3.org/2000/svg";
let boards = 0;

function make(name, attributes = {}, parent = null, text = "") {
  const isSvg = ["svg", "g", "defs", "title"].includes(name) || name in SHAPES;
  const element = isSvg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  if (parent) parent.append(element);
  return element;
}
const SHAPES = { rect: 1, circle: 1, polygon: 1, polyline: 1, path: 1, text: 1, line: 1 };

/** Numbers as people read them. */
export function writeValue(value) {
  if (value === Infinity) return "win";
  if (value === -Infinity) return "loss";
  const compact = { notation: "compact", maximumSignificantDigits: 2 };
  const text = Math.abs(value) >= 1000 ? value.toLocaleString("en", compact) : value.toFixed(2);
  return text.replace("-", "−");
}

export class BoardDrawing {
  /**
   * @param element Where the board goes; what it has is removed.
   * @param layout What stays the same.
   * @param onMove Called with the text of a move that was chosen.
   */
  constructor(element, layout, { onMove = () => {} } = {}) {
    this.layout = layout;
    this.onMove = onMove;
    this.number = ++boards;
    this.chosen = [];
    this.ways = [];
    this.focus = -1;
    element.replaceChildren();
    element.classList.add("board");
    this.legend = make("ul", { class: "board-legend", "aria-label": "Players" }, element);
    if (layout.kind === "text") this.text = make("pre", { class: "board-text" }, element);
    else this.drawBoard(element);
    this.buttons = make("div", { class: "board-buttons", role: "group", "aria-label": "Moves" },
      element);
    this.told = make("p", { class: "board-told", "aria-live": "polite" }, element);
    this.panels = make("div", { class: "board-panels" }, element);
  }

  drawBoard(element) {
    const { layout } = this, isMap = layout.kind === "map";
    const left = layout.labels?.some((label) => !label.small && label.x < 0) ? 0.6 : 0.1;
    const top = layout.labels?.some((label) => !label.small && label.y < 0) ? 0.7 : 0.1;
    const below = layout.labels?.some((label) => label.y > layout.height) ? 0.7 : 0.1;
    const box = [-left, -top, layout.width + left + 0.1, layout.height + top + below];
    this.svg = make("svg", { viewBox: box.join(" "), role: isMap ? "group" : "grid",
      "aria-label": isMap ? "Map" : "Board", class: `board-${layout.kind}` },
      make("div", { class: "board-scroll" }, element));
    this.svg.style.maxWidth = `min(100%, ${Math.round(72 * box[2])}px, ${(78 * box[2]) / box[3]}vh)`;
    const ground = make("g", {}, this.svg);
    this.pieces = make("g", { class: "pieces", "aria-hidden": "true" }, this.svg);
    for (const label of layout.labels || []) {
      make("text", label.small
        ? { x: label.x + 0.06, y: label.y + 0.24, class: "label-small" }
        : { x: label.x, y: label.y, class: "label" }, this.pieces.parentNode, label.text);
    }
    const rows = new Map();
    const ys = isMap ? [] : [...new Set(layout.cells.map((cell) => cell.y))].sort((a, b) => a - b);
    for (const y of ys) rows.set(y, make("g", { role: "row" }, ground));
    this.cells = layout.cells.map((cell, place) => {
      const group = make("g", { class: "cell", "data-cell": place }, rows.get(cell.y) || ground);
      if (isMap) {
        const points = cell.line.map((point) => point.join(",")).join(" ");
        make("polyline", { points, class: "line-edge" }, group);
        make("polyline", { points, class: "line", stroke: cell.colour }, group);
        make("polyline", { points, class: "line-hit" }, group);
      } else drawCell(cell, group);
      if (cell.name) {
        group.setAttribute("role", isMap ? "button" : "gridcell");
        group.addEventListener("click", () => this.choose(place));
      }
      return group;
    });
    for (const point of layout.points || []) {
      make("circle", { cx: point.x, cy: point.y, r: 0.09, class: "point" }, this.svg);
      make("text", { x: point.x, y: point.y - 0.16, class: "point-name" }, this.svg, point.name);
    }
    this.marks = make("g", { class: "marks", "aria-hidden": "true" }, this.svg);
    this.svg.addEventListener("keydown", (event) => this.press(event));
    this.svg.addEventListener("focusin", (event) => {
      const cell = event.target.dataset?.cell;
      if (cell !== undefined) this.moveFocus(Number(cell), false);
    });
  }

  /** The middle of a cell. */
  middle(place) {
    const cell = this.layout.cells[place];
    if (!cell.line) return [cell.x + 0.5, cell.y + 0.5];
    const { line } = cell, half = line.length / 2;
    const ends = [line[Math.ceil(half) - 1], line[Math.floor(half)]];
    return [0, 1].map((axis) => (ends[0][axis] + ends[1][axis]) / 2);
  }

  /**
   * Shows a position.
   * @param drawing What changes.
   * @param moves What may be played; empty if it is not one's turn.
   * @param last The cells of the last move, or a move with its path.
   * @param values What each move is worth, by its text.
   * @param disabled Whether nothing can be chosen.
   * @param told What was played, in a sentence.
   */
  show(drawing, moves, { last = [], values = null, disabled = false, told = "" } = {}) {
    this.drawing = drawing;
    this.moves = moves;
    this.disabled = disabled;
    this.last = Array.isArray(last) ? last : last?.path || [];
    this.chosen = [];
    this.values = values;
    this.ways = moves.flatMap((move) =>
      (move.paths || (move.path.length ? [move.path] : [])).map((path) => ({ path, move })));
    this.told.textContent = told;
    this.showLegend();
    if (this.text) this.text.textContent = drawing.text;
    else this.drawPieces();
    this.showButtons();
    this.showPanels();
    this.update();
  }

  drawPieces() {
    this.owners = new Map(drawingPieces(this.drawing).map((piece) => [piece[0], piece]));
    this.pieces.replaceChildren();
    for (const [place, owner, kind] of this.owners.values()) {
      const cell = this.layout.cells[place];
      const sign = this.layout.signs?.[`${owner}:${kind}`] || { mark: "" };
      const group = make("g", { class: `piece seat${owner}` }, this.pieces);
      if (cell.line) {
        const points = cell.line.map((point) => point.join(",")).join(" ");
        make("polyline", { points, class: "claimed-edge" }, group);
        make("polyline", { points, class: "claimed" }, group);
        const [x, y] = this.middle(place);
        make("circle", { cx: x, cy: y, r: 0.12, class: "claimed-sign" }, group);
        drawSign(owner, group, x, y, 0.2);
      } else drawPiece(owner, sign.mark, group, ...this.middle(place));
    }
  }

  showLegend() {
    this.legend.replaceChildren();
    this.layout.sides.forEach((name, seat) => {
      const item = make("li", {}, this.legend);
      if (seat === this.drawing.to_move) item.setAttribute("aria-current", "true");
      if (this.svg && this.layout.signs?.[`${seat}:0`]) {
        const svg = make("svg", { viewBox: "0 0 1 1", class: `seat${seat}`, "aria-hidden": "true" }, item);
        drawPiece(seat, "", svg, 0.5, 0.5);
      }
      make("span", {}, item, name);
    });
  }

  showButtons() {
    this.buttons.replaceChildren();
    for (const move of this.moves) {
      if ((move.paths || []).length || move.path.length) continue;
      const button = make("button", { type: "button" }, this.buttons, move.name);
      if (this.values && move.move in this.values) {
        make("small", {}, button, ` ${writeValue(this.values[move.move])}`);
      }
      button.disabled = this.disabled;
      button.addEventListener("click", () => this.play(move));
    }
    this.buttons.hidden = !this.buttons.children.length;
  }

  showPanels() {
    this.panels.replaceChildren();
    for (const panel of this.drawing.panels || []) {
      const section = make("section", {}, this.panels);
      make("h3", {}, section, panel.title);
      const list = make("ul", {}, section);
      for (const line of panel.lines) make("li", {}, list, line);
    }
  }

  /** The ways that begin with the chosen cells. */
  fitting() {
    return this.ways.filter(({ path }) => this.chosen.every((cell, place) => path[place] === cell));
  }

  update() {
    if (!this.svg) return;
    const fitting = this.disabled ? [] : this.fitting();
    const next = new Set(fitting.map(({ path }) => path[this.chosen.length]));
    if (this.chosen.length) for (const { path } of this.ways) next.add(path[0]);
    const best = this.values ? Math.max(...Object.values(this.values)) : 0;
    const shown = new Map();
    for (const { path, move } of this.values ? fitting : []) {
      const at = move.path[Math.min(this.chosen.length, move.path.length - 1)];
      const value = this.values[move.move];
      if (path === (move.paths || [move.path])[0] && !(shown.get(at) >= value)) shown.set(at, value);
    }
    this.marks.replaceChildren();
    this.cells.forEach((group, place) => {
      const cell = this.layout.cells[place];
      if (!cell.name) return;
      const states = { open: !this.disabled && next.has(place), last: this.last.includes(place),
        chosen: this.chosen.includes(place) };
      for (const [name, on] of Object.entries(states)) group.classList.toggle(name, on);
      const piece = this.owners.get(place);
      const sign = piece && this.layout.signs?.[`${piece[1]}:${piece[2]}`];
      const words = [cell.name, sign ? sign.name : "empty"];
      if (states.last) words.push("last move");
      if (states.chosen) words.push("chosen");
      if (states.open) words.push("can be played");
      if (shown.has(place)) words.push(`value ${writeValue(shown.get(place))}`);
      group.setAttribute("aria-label", words.join(", "));
      const [x, y] = this.middle(place);
      const mark = (name, size) => make("circle", { cx: x, cy: y, r: size, class: name }, this.marks);
      if (states.last && piece && !cell.line) mark("last-mark", 0.44);
      const isUsual = states.open && fitting.some(({ path, move }) =>
        path[this.chosen.length] === place && (move.paths || [path])[0][0] === path[0]);
      if (states.chosen) mark("chosen-mark", cell.line ? 0.25 : 0.44);
      else if (isUsual && piece && !cell.line) mark("open-piece", 0.47);
      else if (isUsual && !shown.has(place)) mark("open-mark", 0.09);
      if (shown.has(place)) {
        const value = shown.get(place), isBest = value === best, name = isBest ? "value best" : "value";
        const ground = { x: x - 0.42, y: y - 0.16, width: 0.84, height: 0.32, rx: 0.08 };
        if (piece) make("rect", { ...ground, class: "value-ground" }, this.marks);
        make("text", { x, y: y + 0.09, class: name }, this.marks, writeValue(value));
        if (isBest) make("text", { x, y: y - 0.2, class: name }, this.marks, "★");
      }
    });
    if (this.focus < 0) {
      this.focus = this.ways.length ? this.ways[0].path[0]
        : this.layout.cells.findIndex((cell) => cell.name);
    }
    this.moveFocus(this.focus, false);
  }

  choose(place) {
    if (this.disabled) return;
    if (this.chosen[this.chosen.length - 1] === place && this.chosen.length) {
      this.chosen.pop();
      this.update();
      return;
    }
    this.chosen.push(place);
    let fitting = this.fitting();
    if (!fitting.length) { // another piece, perhaps
      this.chosen = [place];
      fitting = this.fitting();
    }
    if (!fitting.length) this.chosen = [];
    const whole = fitting.find(({ path }) => path.length === this.chosen.length);
    if (whole) this.play(whole.move);
    else this.update();
  }

  play(move) {
    if (this.disabled) return;
    this.chosen = [];
    this.onMove(move.move);
  }

  moveFocus(place, takes = true) {
    this.focus = place;
    this.cells.forEach((group, other) => {
      if (this.layout.cells[other].name) {
        group.setAttribute("tabindex", other === place ? "0" : "-1");
      }
    });
    if (takes) this.cells[place].focus();
  }

  press(event) {
    const ways = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    if (event.key === "Enter" || event.key === " ") this.choose(this.focus);
    else if (event.key === "Escape") { this.chosen = []; this.update(); }
    else if (event.key in ways) this.moveFocus(this.neighbour(ways[event.key]));
    else return;
    event.preventDefault();
  }

  /** The nearest cell in a direction. */
  neighbour([right, down]) {
    const [x, y] = this.middle(this.focus);
    let best = this.focus, least = Infinity;
    this.layout.cells.forEach((cell, place) => {
      if (!cell.name || place === this.focus) return;
      const [dx, dy] = [this.middle(place)[0] - x, this.middle(place)[1] - y];
      const ahead = dx * right + dy * down, aside = Math.abs(dx * down) + Math.abs(dy * right);
      const cost = ahead + 2 * aside;
      if (ahead > 0.05 && cost < least) [best, least] = [place, cost];
    });
    return best;
  }
}

const drawingPieces = (drawing) => drawing.pieces || [];

function drawCell(cell, group) {
  const { x, y } = cell, shade = `ground shade${cell.shade}`;
  if (cell.shape === "hex") {
    const points = [[0.5, -0.077], [1, 0.212], [1, 0.788], [0.5, 1.077], [0, 0.788], [0, 0.212]];
    make("polygon", { points: points.map((p) => `${x + p[0]},${y + p[1]}`).join(" "), class: shade },
      group);
    return;
  }
  make("rect", { x, y, width: 1, height: 1, class: cell.shape === "round" ? "frame" : shade }, group);
  if (cell.shape === "round") make("circle", { cx: x + 0.5, cy: y + 0.5, r: 0.42, class: shade }, group);
}

function drawPiece(owner, mark, group, x, y) {
  make("circle", { cx: x, cy: y, r: 0.37, class: "disc" }, group);
  if (mark) make("text", { x, y: y + 0.15, class: "mark" }, group, mark);
  else drawSign(owner, group, x, y, 0.37);
}

/** What tells the seats apart beside their colours. */
function drawSign(owner, group, x, y, size) {
  const at = (points) => points.map(([right, down]) => `${x + right * size},${y + down * size}`).join(" ");
  if (owner === 1) make("circle", { cx: x, cy: y, r: 0.55 * size, class: "sign" }, group);
  const lines = {
    2: [[-0.5, 0], [0.5, 0]],
    3: [[-0.5, 0.4], [0, -0.5], [0.5, 0.4], [-0.5, 0.4]],
    4: [[-0.45, -0.45], [0.45, 0.45], [0, 0], [0.45, -0.45], [-0.45, 0.45]],
  };
  if (owner in lines) make("polyline", { points: at(lines[owner]), class: "sign" }, group);
}
