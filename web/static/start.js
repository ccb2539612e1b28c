// A new run: a recipe, a name, and a form made from the recipe's own keys.

import { ask, h, notice, tell, way } from "./dom.js";

export async function showStart(place, given = "") {
  const form = h("form", { class: "stack", onsubmit: start });
  const name = h("input", { name: "run", required: true, maxlength: 80, pattern: "[A-Za-z0-9_\\-]+(/[A-Za-z0-9_\\-]+)?", size: 28 });
  let fields = [];

  let turn = 0;
  async function load(recipe) {
    const own = ++turn;
    const [found, { runs }] = await Promise.all([ask("form", recipe ? { recipe } : {}), ask("runs")]);
    if (own !== turn) return; // another one was chosen meanwhile
    fields = found.fields.filter((field) => !(field.type === "choice" && field.choices.length < 2)).map(makeField);
    const base = found.recipe.replace(/^run:/, "").replace(/-\d+$/, "");
    const taken = new Set(runs.map((row) => row.run));
    name.value = base;
    for (let number = 2; taken.has(name.value); number += 1) name.value = `${base}-${number}`;
    const sections = [...new Set(fields.map((field) => field.section))];
    const first = (section) => ["check", "run"].indexOf(section);
    sections.sort((one, other) => first(other) - first(one));
    form.replaceChildren(
      h("div", { class: "card row" }, h("label", {}, "Name", h("br"), name), h("button", { class: "main" }, "Start"),
        h("p", { class: "quiet small" }, found.title)),
      ...sections.map((section) => h("details", { class: "card", open: section === "run" },
        h("summary", {}, h("strong", {}, `[${section}] `), h("span", { class: "quiet small" }, `${fields.filter((field) => field.section === section).length} values`)),
        h("div", { class: "fields" }, ...fields.filter((field) => field.section === section).map((field) => field.element)))));
    return found.recipe;
  }

  async function start(event) {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    button.textContent = "Starting …";
    try {
      const changes = fields.filter((field) => field.changed()).map((field) => `${field.key}=${field.text()}`);
      const { run } = await tell("runs", { run: name.value, recipe: select.value, changes });
      location.hash = way("run", run);
    } catch (error) {
      button.disabled = false;
      button.textContent = "Start";
      const named = fields.filter(({ key }) => ` ${error.message} `.split(` ${key}`).slice(1).some((rest) => !/^[\w-]/.test(rest)));
      const [field] = named.sort((one, other) => other.key.length - one.key.length);
      if (field) field.complain(error.message);
      else notice(error.message);
    }
  }

  const [recipes, loaded] = await Promise.all([ask("recipes"), load(given)]);
  const select = h("select", { onchange: () => load(select.value) });
  if (given.startsWith("run:")) select.append(h("option", { value: given }, `as in run ${given.slice(4)}`));
  select.append(...recipes.map((recipe) => h("option", { value: recipe.name }, `${recipe.name}: ${recipe.title}`)));
  select.value = loaded;
  place.append(h("h1", {}, "Start a run"), h("div", { class: "card row" },
    h("label", {}, "Recipe", h("br"), select)), form);
}

/** A value of the recipe: the element, and the text that TOML has for it. */
function makeField({ key, value, type, choices, lowest, highest, above, below, help }) {
  const before = write(value);
  let input;
  if (type === "choice") {
    input = h("select", {}, ...choices.map((choice) => h("option", { value: write(choice) }, String(choice))));
    input.value = before;
  } else if (type === "switch" && value !== null) {
    input = h("input", { type: "checkbox", checked: value });
  } else if (type === "integer" || type === "number") {
    input = h("input", { type: "number", step: type === "integer" ? 1 : "any", min: lowest ?? above, max: highest ?? below, value: value ?? "" });
  } else {
    input = h("input", { type: "text", value: type === "list" || Array.isArray(value) ? before : value ?? "" });
  }
  input.name = key;
  const text = () => {
    if (input.type === "checkbox") return String(input.checked);
    if (type === "choice" || type === "integer" || type === "number" || type === "list") return input.value;
    return Array.isArray(value) ? input.value : input.value === "" ? "" : JSON.stringify(input.value);
  };
  const changed = () => (input.value !== "" || input.type === "checkbox") && text() !== (type === "text" && typeof value === "string" ? JSON.stringify(value) : before);
  const low = lowest ?? above, high = (highest ?? below) < 2 ** 53 ? highest ?? below : undefined;
  const range = low === undefined ? "" : high === undefined ? `At least ${low}.` : `From ${low} to ${high}.`;
  const [section, ...rest] = key.split(".");
  const element = h("label", {}, h("span", { class: "key" }, rest.join(".")), h("br"), input,
    h("span", { class: "quiet small" }, [help.replaceAll("``", "").replace(/:[a-z]+:`~?([^`]*)`/g, "$1"), range].filter(Boolean).join(" ")));
  input.addEventListener("input", () => element.classList.toggle("changed", changed()));
  /** Unfolds the section, and shows the server's message at the value. */
  function complain(error) {
    input.setCustomValidity(error);
    input.reportValidity();
  }
  input.addEventListener("input", () => input.setCustomValidity(""));
  return { key, section, element, text, changed, complain };
}

/** Writes a value in TOML. */
function write(value) {
  if (value === null || value === undefined) return "";
  return Array.isArray(value) ? `[${value.map(write).join(", ")}]` : JSON.stringify(value);
}
