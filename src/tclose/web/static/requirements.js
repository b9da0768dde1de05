// The requirements: a threshold for the table, for every sensitive attribute, or for one.

import { button, field, h, redraw, select } from "./dom.js";
import { visible } from "./format.js";
import { takePolicy } from "./api.js";
import { change, listen, sensitive, state } from "./store.js";

const TOGETHER = [
  ["each", "each by itself"],
  ["quasi", "the others known too"],
  ["joint", "all as one"],
];

export function requirementsPanel() {
  const body = h("div", {});
  const problem = h("p", { class: "problem", role: "alert" });
  const draw = () => redraw(body, rows(), adding(draw), together());
  listen("policy", draw);
  draw();
  const save = () => takePolicy(state.table.id, state.policy).then(() => { problem.textContent = ""; }, (error) => { problem.textContent = error.message; });
  return h(
    "section",
    { class: "box", "aria-labelledby": "requirements-title" },
    h("h2", { id: "requirements-title" }, "Requirements"),
    body,
    h("p", { class: "actions" }, button("Save the policy file", save, { class: "quiet" })),
    problem,
  );
}

// Every threshold as [model key, attribute or null, text].
function thresholds() {
  const found = Object.entries(state.policy.policy).filter(([key]) => key !== "together").map(([key, text]) => [key, null, text]);
  for (const [name, column] of Object.entries(state.policy.columns)) {
    for (const model of state.words.models) if (model.key in column) found.push([model.key, name, column[model.key]]);
  }
  return found;
}

const modelOf = (key) => state.words.models.find((model) => model.key === key);

function rows() {
  const all = thresholds();
  if (!all.length) return h("p", { class: "hint" }, "Nothing is required, so nothing is judged.");
  return h("ul", { class: "requirements" }, all.map(([key, attribute, text]) => row(key, attribute, text)));
}

function row(key, attribute, text) {
  const model = modelOf(key);
  const sign = model.good === "high" ? (model.strict ? ">" : "≥") : model.strict ? "<" : "≤";
  const id = `threshold-${key}-${attribute ?? ""}`;
  const place = (policy) => (attribute === null ? policy.policy : policy.columns[attribute]);
  const input = h("input", {
    type: "text", inputmode: "decimal", id, value: Array.isArray(text) ? text.join(",") : String(text), title: model.meaning,
    on: { change: () => change((policy) => { if (input.value.trim()) place(policy)[key] = input.value.trim(); else delete place(policy)[key]; }) },
  });
  const of = attribute === null ? (model.scope === "table" ? "the table" : "each sensitive attribute") : visible(attribute);
  return h(
    "li",
    {},
    h("label", { for: id, title: model.meaning }, h("strong", {}, `${key} ${sign}`), h("span", { class: "soft" }, ` of ${of}`)),
    input,
    button("✕", () => change((policy) => { delete place(policy)[key]; }), { class: "icon", "aria-label": `Remove the requirement ${key} of ${of}` }),
  );
}

const picked = { model: "", attribute: "" };

function adding(draw) {
  const names = sensitive();
  const models = state.words.models.filter((model) => !model.needs_population).map((model) => [model.key, `${model.key}: ${model.title}`]);
  const ofOne = picked.model && modelOf(picked.model).scope === "attribute" && names.length > 1;
  const choose = select([["", "Add a requirement…"], ...models], picked.model, (key) => { picked.model = key; picked.attribute = ""; draw(); }, { id: "add-model", "aria-label": "Add a requirement" });
  const attribute = ofOne ? select([["", "of each"], ...names.map((name) => [name, `of ${visible(name)}`])], picked.attribute, (name) => { picked.attribute = name; }, { id: "add-attribute", "aria-label": "Of which attribute" }) : null;
  const add = () =>
    change((policy) => {
      const model = modelOf(picked.model);
      (picked.attribute ? policy.columns[picked.attribute] : policy.policy)[model.key] = model.example;
      picked.model = "";
    });
  return h("div", { class: "adding" }, choose, attribute, picked.model ? button("Add", add, { id: "add-button" }) : null);
}

function together() {
  if (sensitive().length < 2) return null;
  const chosen = (word) => change((policy) => { if (word === "each") delete policy.policy.together; else policy.policy.together = word; });
  return field("Several sensitive attributes", select(TOGETHER, state.policy.policy.together ?? "each", chosen, { id: "together" }));
}
