// Fields drawn from what the server says of each option: its name, what it takes, what it means, and what is wrong with it.

import { field, h, select } from "./dom.js";
import { fieldFault } from "./faults.js";
import { visible } from "./format.js";
import { meaning } from "./terms.js";
import { change, state } from "./store.js";

const same = (one, other) => String(one ?? "") === String(other ?? "");
const valueOf = (place, { name, default: usual }) => state.policy[place][name] ?? usual;

export const differs = (place, form) => !same(valueOf(place, form), form.default);

// Sets an option; what is as usual is not said in the policy.
export function set(place, { name, default: usual }, value) {
  change((policy) => { if (value === "" || same(value, usual)) delete policy[place][name]; else policy[place][name] = value; }, { measured: place === "policy" });
}

// A control below its name, as every field is drawn; its fault is said of the control too.
export function formed(form, control, hint, mark = null) {
  const drawn = field(form.label, control, hint, mark);
  drawn.append(...faultOf(form, control));
  return drawn;
}

// Marks a control whose value is wrong, and says why.
function faultOf(form, control) {
  const fault = fieldFault(form);
  if (!fault) return [];
  const id = `${form.name}-fault`;
  control.setAttribute("aria-invalid", "true");
  control.setAttribute("aria-describedby", id);
  return [h("p", { class: "problem", id }, fault)];
}

export function formField(place, form) {
  const { name, help, choices, prominent, widget } = form;
  const value = valueOf(place, form);
  if (widget === "switch") return tick(place, form);
  const mark = meaning(name);
  const hint = choices.find(({ key }) => key === value)?.meaning || (mark || prominent ? null : help);
  return formed(form, controlOf(place, form, value), hint, mark);
}

function controlOf(place, form, value) {
  const { name, choices, default: usual, widget } = form;
  const chosen = (key) => set(place, form, key);
  const none = usual === null ? [["", "–"]] : [];
  if (widget === "choice") return select([...none, ...choices.map(({ key, title }) => [key, title])], value ?? "", chosen, { id: name });
  if (widget === "column") return select([...none, ...Object.keys(state.profile.columns).map((column) => [column, visible(column)])], value ?? "", chosen, { id: name });
  const input = h("input", { type: "text", inputmode: widget === "number" ? "decimal" : null, id: name, value: String(state.policy[place][name] ?? ""), placeholder: String(usual ?? ""), on: { change: () => chosen(input.value.trim()) } });
  return input;
}

function tick(place, form) {
  const { name, label, help, prominent } = form;
  const box = h("input", { type: "checkbox", id: name, checked: valueOf(place, form) === true, on: { change: () => set(place, form, box.checked) } });
  return h("div", { class: "switch" }, h("div", { class: "tick" }, box, h("label", { for: name }, label)), prominent ? null : h("p", { class: "hint" }, help), faultOf(form, box));
}

// What few people change: closed, unless something of it is set or wrong.
export function moreFields(key, title, place, forms, draw = (form) => formField(place, form)) {
  const wrong = forms.some(fieldFault);
  const open = wrong || (state.open[key] ?? forms.some((form) => differs(place, form)));
  const details = h("details", { id: `more-${key}`, open, on: { toggle: () => { state.open[key] = details.open; } } }, h("summary", {}, title), h("div", { class: "options" }, forms.map(draw)));
  return details;
}
