// A network and a position: inputs, activations of the units, and the strongest connections.

import { h } from "./dom.js";

const SPACE = "http://www.w3.org/2000/svg";
const MOST_UNITS = 40;

function s(tag, given, parent, text = "") {
  const element = document.createElementNS(SPACE, tag);
  for (const [key, value] of Object.entries(given)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  parent.append(element);
  return element;
}

const hue = (value) => (value < 0 ? "hue1" : "hue0");

/** Draws the answer of `look_inside` into an element. */
export function drawInside(place, { planes, layers, edges, inputs }) {
  const cell = 15, gap = 18, top = 26;
  const places = new Map();
  const planeHeight = planes.reduce((sum, { rows }) => sum + rows * cell + gap + 14, 0);
  const shown = layers.map((layer) => layer.map((unit, number) => ({ ...unit, number }))
    .sort((one, other) => Math.abs(other.value) - Math.abs(one.value)).slice(0, MOST_UNITS)
    .sort((one, other) => one.number - other.number));
  const most = Math.max(...shown.map((layer) => layer.length));
  const height = Math.max(planeHeight, Math.min(most, MOST_UNITS) * 17) + top + 10;
  const lettered = planes.some(({ names }) => names.length);
  const left = Math.max(...planes.map(({ columns, name }) => Math.max(columns * cell, name.length * 6.5 - 60))) + (lettered ? 170 : 0);
  const longest = Math.max(...layers.at(-1).map(({ name }) => name.replace("output ", "").length));
  const width = left + 40 + layers.length * 170 + Math.max(0, 7 * longest - 20);
  const svg = document.createElementNS(SPACE, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `the network: ${planes.length} planes of inputs, ${layers.map((layer) => layer.length).join(", ")} units; outputs ${
    layers.at(-1).map(({ name, value }) => `${name} ${value.toPrecision(3)}`).join(", ")}`);
  const under = s("g", {}, svg);
  let input = 0, y = top;
  for (const { name, rows, columns, values, names } of planes) {
    s("text", { x: 0, y: y - 6 }, svg, name);
    const largest = Math.max(1e-9, ...values.map(Math.abs));
    values.forEach((value, number) => {
      const x = (number % columns) * cell, at = y + Math.floor(number / columns) * cell;
      s("rect", { x, y: at, width: cell - 2, height: cell - 2, rx: 2, class: value ? hue(value) : "hue6",
        fill: "currentColor", opacity: value ? 0.35 + 0.65 * Math.abs(value) / largest : 0.12 }, svg);
      if (names[number]) s("text", { x: x + cell + 3, y: at + cell - 4 }, svg, `${names[number]}: ${Number(value.toPrecision(3))}`);
      places.set(input + number, [names[number] ? left : x + cell / 2 - 1, at + cell / 2 - 1]);
    });
    input += values.length;
    y += rows * cell + gap + 14;
  }
  let first = inputs;
  layers.forEach((layer, depth) => {
    const units = shown[depth], x = left + 130 + depth * 170, step = (height - top) / units.length;
    const largest = Math.max(1e-9, ...layer.map(({ value }) => Math.abs(value)));
    const last = depth === layers.length - 1;
    const rest = layer.length - units.length;
    s("text", { x: x - 40, y: 14 }, svg, last ? "outputs" : `hidden layer${rest ? `, ${units.length} of ${layer.length}` : ""}`);
    units.forEach(({ name, value, number }, row) => {
      const at = top + step * (row + 0.5), strength = Math.abs(value) / largest;
      places.set(first + number, [x, at]);
      const dot = s("circle", { cx: x, cy: at, r: last ? 8 : 6, class: value ? hue(value) : "hue6", fill: "currentColor",
        opacity: 0.15 + 0.85 * strength, stroke: "currentColor" }, svg);
      s("title", {}, dot, `${name}: ${value.toPrecision(4)}`);
      if (last) s("text", { x: x + 14, y: at + 4 }, svg, layer.length === 1 ? value.toPrecision(3) : `${name.replace("output ", "")}: ${value.toPrecision(3)}`);
    });
    first += layer.length;
  });
  const strongest = Math.max(1e-9, ...edges.map(([, , carried]) => Math.abs(carried)));
  for (const [from, to, carried] of [...edges].reverse()) {
    const one = places.get(from), other = places.get(to), share = Math.abs(carried) / strongest;
    if (!one || !other) continue;
    const middle = (one[0] + other[0]) / 2;
    s("path", { d: `M${one[0]} ${one[1]}C${middle} ${one[1]} ${middle} ${other[1]} ${other[0]} ${other[1]}`, class: hue(carried),
      fill: "none", stroke: "currentColor", "stroke-width": 0.4 + 2.4 * share, opacity: 0.12 + 0.6 * share }, under);
  }
  place.replaceChildren(h("div", { class: "scroll chart" }, svg),
    h("p", { class: "quiet small" }, `Blue is positive, orange negative. Only the ${edges.length} strongest connections in this position are drawn.`));
  svg.style.minWidth = `${Math.min(width, 620)}px`;
  svg.style.maxWidth = `${1.6 * width}px`;
}
