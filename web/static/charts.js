// Curves as SVG, drawn anew whenever there is more to see.

import { h } from "./dom.js";

const SPACE = "http://www.w3.org/2000/svg";
const LEFT = 46, RIGHT = 22, TOP = 8, BOTTOM = 26;

function s(tag, given = {}, text = "") {
  const element = document.createElementNS(SPACE, tag);
  for (const [key, value] of Object.entries(given)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
}

/** Steps of 1, 2 or 5 times a power of ten that cover a range. */
function ticks(low, high, most) {
  const raw = (high - low) / most || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-6; at += step) found.push(at);
  return found;
}

const short = (value) =>
  Math.abs(value) >= 10000 ? value.toLocaleString("en", { notation: "compact" }) : String(+value.toPrecision(3));

/** A chart: a heading, a remark, curves with bands, and a legend. */
export class Chart {
  constructor(title, remark, { height = 220, low = null, high = null, least = null } = {}) {
    this.title = title;
    this.bounds = { low, high, least };
    this.height = height;
    this.width = 560;
    this.svg = s("svg", { role: "img", "aria-label": title, height });
    this.legend = h("div", { class: "legend" });
    this.tip = h("div", { class: "small quiet", "aria-hidden": "true" });
    this.tip.style.minHeight = "1.5em";
    this.element = h("section", { class: "card chart" }, h("h2", {}, title),
      h("p", { class: "quiet small" }, remark), this.legend, this.svg, this.tip);
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", () => this.leave());
    this.series = [];
    new ResizeObserver(([{ contentRect }]) => {
      if (Math.abs(contentRect.width - this.width) < 1) return;
      this.width = Math.max(220, contentRect.width);
      this.draw();
    }).observe(this.svg);
  }

  /** Draws series: `{name, hue, dash, x: [], y: [], low: [], high: [], dots}`. */
  show(series) {
    this.series = series.filter((each) => each.y.some((value) => value !== null));
    this.legend.replaceChildren(...this.series.filter((each) => each.name && each.hue !== undefined).map((each) =>
      h("span", {}, line(each), each.name)));
    this.draw();
  }

  draw() {
    this.svg.replaceChildren();
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    if (!this.series.length) {
      this.svg.append(s("text", { x: this.width / 2, y: this.height / 2, "text-anchor": "middle" }, "nothing yet"));
      return;
    }
    const all = (key) => this.series.flatMap((each) => each[key] || []).filter((value) => value !== null);
    const values = [...all("y"), ...all("low"), ...all("high")];
    let low = this.bounds.low ?? Math.min(...values), high = this.bounds.high ?? Math.max(...values);
    if (this.bounds.least !== null) high = Math.max(high, this.bounds.least);
    if (high - low < 1e-9) [low, high] = [low - 0.5, high + 0.5];
    const right = Math.max(1, ...all("x"));
    this.x = (value) => LEFT + (value / right) * (this.width - LEFT - RIGHT);
    this.y = (value) => this.height - BOTTOM - ((value - low) / (high - low)) * (this.height - TOP - BOTTOM);
    this.right = right;
    for (const at of ticks(low, high, 5)) {
      this.svg.append(s("line", { class: "grid", x1: LEFT, x2: this.width - RIGHT, y1: this.y(at), y2: this.y(at) }));
      this.svg.append(s("text", { x: LEFT - 6, y: this.y(at) + 4, "text-anchor": "end" }, short(at)));
    }
    for (const at of ticks(0, right, Math.max(3, this.width / 90))) {
      this.svg.append(s("text", { x: this.x(at), y: this.height - 8, "text-anchor": "middle" }, short(at)));
    }
    for (const each of this.series) this.trace(each);
    this.cursor = s("line", { class: "grid", y1: TOP, y2: this.height - BOTTOM, visibility: "hidden" });
    this.svg.append(this.cursor);
    const last = this.series.map((each) => [each.name, each.y.findLast((value) => value !== null)]);
    this.svg.setAttribute("aria-label", `${this.title}; newest: ${this.tell(last)}`);
  }

  trace({ hue, dash, x, y, low, high, dots }) {
    const points = x.map((at, place) => [at, y[place]]).filter(([, value]) => value !== null);
    if (low) {
      const upper = x.map((at, place) => [at, high[place]]).filter(([, value]) => value !== null);
      const lower = x.map((at, place) => [at, low[place]]).filter(([, value]) => value !== null).reverse();
      this.svg.append(s("path", { class: `hue${hue}`, fill: "currentColor", opacity: 0.18,
        d: `${this.path(upper)}L${this.path(lower).slice(1)}Z` }));
    }
    this.svg.append(s("path", { class: `hue${hue}`, d: this.path(points), fill: "none",
      stroke: "currentColor", "stroke-width": 1.8, "stroke-dasharray": dash || "none",
      "stroke-linejoin": "round" }));
    if (dots || points.length === 1) {
      for (const [at, value] of points) {
        this.svg.append(s("circle", { class: `hue${hue}`, cx: this.x(at), cy: this.y(value), r: 2.6, fill: "currentColor" }));
      }
    }
  }

  path(points) {
    return points.map(([at, value], place) =>
      `${place ? "L" : "M"}${this.x(at).toFixed(1)} ${this.y(value).toFixed(1)}`).join("");
  }

  point(event) {
    if (!this.series.length) return;
    const box = this.svg.getBoundingClientRect();
    const at = (((event.clientX - box.left) / box.width) * this.width - LEFT) / (this.width - LEFT - RIGHT) * this.right;
    const found = this.series.map((each) => {
      const near = each.x.reduce((best, x, place) =>
        Math.abs(x - at) < Math.abs(each.x[best] - at) ? place : best, 0);
      return { each, near };
    });
    const first = found[0];
    const where = first.each.x[first.near];
    this.cursor.setAttribute("visibility", "visible");
    this.cursor.setAttribute("x1", this.x(where));
    this.cursor.setAttribute("x2", this.x(where));
    this.tip.textContent = `generation ${short(where)}: ${this.tell(found.map(({ each, near }) => [each.name, each.y[near]]))}`;
  }

  /** Names and values as a text. */
  tell(values) {
    return values.map(([name, value]) => `${name} ${value === null ? "–" : short(value)}`).join(", ");
  }

  leave() {
    this.cursor?.setAttribute("visibility", "hidden");
    this.tip.textContent = "";
  }
}

/** Areas one on top of the other, each with its name where there is room. */
export class Areas extends Chart {
  constructor(title, remark) {
    super(title, remark, { low: 0 });
    this.legend.remove();
  }

  /** Draws areas from bottom to top: `{name, colour, x: [], sizes: []}`. */
  show(areas) {
    let high = areas[0].x.map(() => 0);
    super.show(areas.map((area) => {
      const low = high;
      high = low.map((value, place) => value + (area.sizes[place] ?? 0));
      return { ...area, y: area.sizes, low, high };
    }));
  }

  trace({ name, colour, x, y, low, high }) {
    const first = Math.max(0, y.findIndex((size) => size > 0) - 1);
    const end = y.findLastIndex((size) => size > 0) + 2;
    const edge = (values) => x.map((at, place) => [at, values[place]]).slice(first, end);
    this.svg.append(s("path", { class: "area", fill: colour,
      d: `${this.path(edge(high))}L${this.path(edge(low).reverse()).slice(1)}Z` }));
    const widest = y.indexOf(Math.max(...y.slice(first, end)));
    const height = this.y(low[widest]) - this.y(high[widest]);
    if (height < 14 || this.x(x[Math.min(end, x.length) - 1]) - this.x(x[first]) < 24) return;
    const at = Math.min(this.width - RIGHT - 12, Math.max(LEFT + 12, this.x(x[widest])));
    this.names.push(s("text", { class: "inside", x: at, y: (this.y(low[widest]) + this.y(high[widest])) / 2 + 4, "text-anchor": "middle" }, name));
  }

  draw() {
    this.names = [];
    super.draw();
    this.svg.append(...this.names); // above all areas
  }

  /** Living species, the largest first. */
  tell(values) {
    const living = values.filter(([, size]) => size > 0).sort((one, other) => other[1] - one[1]);
    return living.slice(0, 8).map(([name, size]) => `${name === "others" ? name : `species ${name}`}: ${short(size)}`).join(", ");
  }
}

function line({ hue, dash }) {
  const mark = h("i", { class: `hue${hue}` });
  if (dash) mark.style.borderTopStyle = "dashed";
  return mark;
}
