// The requirements: a threshold for the table, for every sensitive attribute, or for one.

import { button, field, h, redraw, select } from "./dom.js";
import { sign, visible } from "./format.js";
import { populationFault, thresholdFault } from "./faults.js";
import { projectActions } from "./project.js";
import { meaning } from "./terms.js";
import { change, listen, modelOf, quasi, sensitive, state } from "./store.js";

const MOST_KNOWN = 5;
const TOGETHER = [
  ["each", "each by itself"],
  ["quasi", "the others known too"],
  ["joint", "all as one"],
];

export function requirementsPanel() {
  const body = h("div", {});
  const given = h("span", { class: "soft" });
  const draw = () => redraw(body, rows(), unlimited(), h("div", { class: "pair" }, adding(draw), preset()), more());
  const tell = () => { given.textContent = requirementsSuggested() ? " suggested" : ""; };
  for (const drawn of [draw, tell]) listen("policy", drawn);
  let shown = null;
  listen("audit", () => { if (state.audit.error !== shown) { shown = state.audit.error; draw(); } });
  draw();
  tell();
  return h(
    "section",
    { class: "box", "aria-labelledby": "requirements-title" },
    h("div", { class: "titled" }, h("h2", { id: "requirements-title" }, "Requirements", meaning("requirement")), given),
    body,
    projectActions(),
  );
}

// What few people change: who knows how much, of how many.
function more() {
  const unusual = ["any", "population_size", "together"].some((key) => key in state.policy.policy);
  return h("details", { open: state.open.more ?? unusual, on: { toggle: (event) => { state.open.more = event.target.open; } } }, h("summary", {}, "Who knows what, of how many"), known(), drawn(), together());
}

const suggests = (key, attribute, text) => String((attribute === null ? state.suggested?.policy : state.suggested?.columns[attribute])?.[key]) === String(text);

// Whether the thresholds are those that were suggested, to be argued about.
export function requirementsSuggested() {
  const all = thresholds();
  return all.length > 0 && all.every((each) => suggests(...each));
}

// Every threshold as [model key, attribute or null, text].
function thresholds() {
  const found = Object.entries(state.policy.policy).filter(([key]) => modelOf(key)).map(([key, text]) => [key, null, text]);
  for (const [name, column] of Object.entries(state.policy.columns)) {
    for (const model of state.words.models) if (model.key in column) found.push([model.key, name, column[model.key]]);
  }
  return found;
}

function rows() {
  const all = thresholds();
  if (!all.length) return h("p", { class: "hint" }, "Nothing is required, so nothing is judged.");
  return h("ul", { class: "requirements" }, all.map(([key, attribute, text]) => row(key, attribute, text)));
}

// The sensitive columns of which nothing is required: a table may meet everything and tell all of them.
function unlimited() {
  if (state.policy.policy.preset) return null;
  const asked = thresholds().filter(([key]) => modelOf(key).scope !== "table").map(([, attribute]) => attribute);
  const free = asked.includes(null) ? [] : sensitive().filter((name) => !asked.includes(name));
  if (!free.length) return null;
  const model = modelOf("t");
  const { key, example } = model;
  const take = () => change((policy) => { for (const name of free) policy.columns[name][key] = example; });
  return h("p", { class: "hint", id: "unlimited" }, `Nothing limits what is learned of ${free.map(visible).join(", ")}. `, button(`Require ${key} ${sign(model)} ${example}`, take, { class: "link", id: "limit" }));
}

function row(key, attribute, text) {
  const model = modelOf(key);
  const id = `threshold-${key}-${attribute ?? ""}`;
  const fault = thresholdFault(key, attribute);
  const place = (policy) => (attribute === null ? policy.policy : policy.columns[attribute]);
  const input = h("input", {
    type: "text", inputmode: "decimal", id, value: Array.isArray(text) ? text.join(",") : String(text), "aria-invalid": fault ? "true" : null, "aria-describedby": fault ? `${id}-fault` : null,
    on: { change: () => change((policy) => { if (input.value.trim()) place(policy)[key] = input.value.trim(); else delete place(policy)[key]; }) },
  });
  const of = attribute === null ? (model.scope === "table" ? "the table" : "each sensitive attribute") : visible(attribute);
  return h(
    "li",
    {},
    h("label", { for: id }, h("strong", {}, `${key} ${sign(model)}`), h("span", { class: "unseen" }, ` of ${of}`)),
    input,
    h("span", { class: "soft" }, `${of}${!requirementsSuggested() && suggests(key, attribute, text) ? ", suggested" : ""}`, meaning(model.title, model.meaning)),
    button("✕", () => change((policy) => { delete place(policy)[key]; }), { class: "icon", "aria-label": `Remove the requirement ${key} of ${of}` }),
    fault ? h("p", { class: "problem", id: `${id}-fault` }, visible(fault)) : null,
  );
}

const picked = { model: "", attribute: "" };

function adding(draw) {
  const names = sensitive();
  const models = state.words.models.filter((model) => !model.needs_population).map((model) => [model.key, `${model.key}: ${model.title}`]);
  const ofOne = picked.model && modelOf(picked.model).scope === "attribute" && names.length > 1;
  const choose = select([["", "Require also…"], ...models], picked.model, (key) => { picked.model = key; picked.attribute = ""; draw(); }, { id: "add-model", "aria-label": "Add a requirement" });
  const attribute = ofOne ? select([["", "of each"], ...names.map((name) => [name, `of ${visible(name)}`])], picked.attribute, (name) => { picked.attribute = name; }, { id: "add-attribute", "aria-label": "Of which attribute" }) : null;
  const add = () =>
    change((policy) => {
      const model = modelOf(picked.model);
      (picked.attribute ? policy.columns[picked.attribute] : policy.policy)[model.key] = model.example;
      picked.model = "";
    });
  return h("div", { class: "adding" }, choose, attribute, picked.model ? button("Add", add, { id: "add-button" }) : null);
}

// The rule whose requirements are added to those above.
function preset() {
  const choose = (key) => change((policy) => { if (key) policy.policy.preset = key; else delete policy.policy.preset; });
  const chosen = state.words.presets.find((each) => each.key === state.policy.policy.preset);
  const picker = select([["", "A rule to meet…"], ...state.words.presets.map((each) => [each.key, each.title])], chosen?.key ?? "", choose, { id: "preset", "aria-label": "A rule to meet" });
  return h("div", {}, picker, chosen ? h("p", { class: "hint" }, chosen.asks) : null);
}

// How many people the table was drawn from, for estimates of who is alone among them.
function drawn() {
  const input = h("input", {
    type: "text", inputmode: "numeric", id: "population-size", value: String(state.policy.policy.population_size ?? ""),
    on: { change: () => change((policy) => { const people = input.value.replace(/[\s,.']/g, ""); if (people) policy.policy.population_size = /^\d+$/.test(people) ? Number(people) : people; else delete policy.policy.population_size; }) },
  });
  return field("People in the population", input, populationFault() ? h("span", { class: "problem" }, visible(populationFault())) : null);
}

// How many columns someone knows; all of them, unless a number is chosen.
function known() {
  const most = Math.min(quasi().length, MOST_KNOWN);
  const chosen = Number(state.policy.policy.any ?? 0);
  if (most < 2 && !chosen) return null;
  const numbers = [...new Set([...Array(most).keys()].map((at) => at + 1).concat(chosen || []))];
  const words = numbers.map((number) => [String(number), number === 1 ? "any one column" : `any ${number} columns`]);
  const choose = (word) => change((policy) => { if (word) policy.policy.any = Number(word); else delete policy.policy.any; });
  return field("Someone knows", select([["", "all quasi-identifiers"], ...words], chosen ? String(chosen) : "", choose, { id: "known" }));
}

function together() {
  if (sensitive().length < 2) return null;
  const chosen = (word) => change((policy) => { if (word === "each") delete policy.policy.together; else policy.policy.together = word; });
  return field("Several sensitive attributes", select(TOGETHER, state.policy.policy.together ?? "each", chosen, { id: "together" }));
}
