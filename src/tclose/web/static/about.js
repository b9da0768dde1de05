// What the report says of its purpose and of people: written here, printed there.

import { field, h } from "./dom.js";
import { change, listen, state } from "./store.js";

const FIELDS = [
  ["purpose", "Purpose", "What the table is for"],
  ["recipient", "Recipient", "Who gets it"],
  ["author", "Author", "Name and position"],
  ["approver", "Approver", "Name and position"],
  ["review", "To be reviewed on", "A date"],
];

export function aboutReport() {
  const inputs = Object.fromEntries(FIELDS.map(([key, , hint]) => [key, h("input", { type: "text", id: `about-${key}`, maxlength: 600, placeholder: hint, on: { change: () => set(key, inputs[key].value.trim()) } })]));
  const set = (key, text) => change((policy) => {
    policy.report = { ...policy.report, [key]: text };
    if (!text) delete policy.report[key];
  }, { measured: false });
  const draw = () => { for (const [key] of FIELDS) inputs[key].value = state.policy.report?.[key] ?? ""; };
  listen("policy", draw);
  draw();
  return h("details", { class: "about", open: Object.keys(state.policy.report ?? {}).length > 0 }, h("summary", {}, "What the report says of purpose and people"), h("div", { class: "options" }, FIELDS.map(([key, label]) => field(label, inputs[key]))));
}
