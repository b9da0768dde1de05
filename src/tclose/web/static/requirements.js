// The requirements: a threshold for the table, for every sensitive attribute, or for one.

import { button, h, redraw, select } from "./dom.js";
import { sign, visible } from "./format.js";
import { onFaults, thresholdFault } from "./faults.js";
import { differs, formed, formField, moreFields, set } from "./forms.js";
import { projectActions } from "./project.js";
import { meaning } from "./terms.js";
import { change, listen, modelOf, quasi, sensitive, state } from "./store.js";

const MOST_KNOWN = 5;
// Options with a drawing of their own.
const RICHER = { any: known, preset, together };

export function requirementsPanel() {
  const body = h("div", {});
  const given = h("span", { class: "soft" });
  const draw = () => redraw(body, rows(), unlimited(), h("div", { class: "pair" }, adding(draw), formsOf(true).map(drawn)), more());
  const tell = () => { given.textContent = requirementsSuggested() ? " suggested" : ""; };
  for (const task of [draw, tell]) listen("policy", task);
  onFaults(draw);
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

const formsOf = (prominent) => state.words.forms.policy.filter((form) => form.prominent === prominent);
const drawn = (form) => (RICHER[form.name] ?? formField)("policy", form);

// What few people change: who knows how much, of how many, and what attackers may gain.
function more() {
  return moreFields("more", "Who knows what, of how many", "policy", formsOf(false), drawn);
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
function preset(place, form) {
  const { name, label, choices } = form;
  const chosen = choices.find(({ key }) => key === state.policy[place][name]);
  const picker = select([["", `${label}…`], ...choices.map(({ key, title }) => [key, title])], chosen?.key ?? "", (key) => set(place, form, key), { id: name, "aria-label": label });
  return h("div", {}, picker, chosen ? h("p", { class: "hint" }, chosen.meaning) : null);
}

// How many columns someone knows; all of them, unless a number is chosen.
function known(place, form) {
  const most = Math.min(quasi().length, MOST_KNOWN);
  const chosen = Number(state.policy.policy[form.name] ?? 0);
  if (most < 2 && !chosen) return null;
  const numbers = [...new Set([...Array(most).keys()].map((at) => at + 1).concat(chosen || []))];
  const words = numbers.map((number) => [String(number), number === 1 ? "any one column" : `any ${number} columns`]);
  return formed(form, select([["", "all quasi-identifiers"], ...words], chosen ? String(chosen) : "", (word) => set(place, form, word), { id: form.name }));
}

function together(place, form) {
  return sensitive().length < 2 && !differs(place, form) ? null : formField(place, form);
}
