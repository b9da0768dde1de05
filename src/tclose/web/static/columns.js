// The columns: what each of them is, as suggested, and as the person says by clicking.

import { h, redraw } from "./dom.js";
import { counted, percent, visible } from "./format.js";
import { distanceSettings } from "./distance.js";
import { hierarchySettings } from "./hierarchy.js";
import { change, listen, look, state, tell } from "./store.js";

const ROLES = [
  ["identifier", "Identifier", "names a person outright"],
  ["quasi-identifier", "Quasi", "quasi-identifier: others may know it of a person"],
  ["sensitive", "Sensitive", "to be protected"],
  ["insensitive", "Other", "neither known nor secret"],
];

export function columnsPanel() {
  const list = h("ul", { class: "columns" });
  const items = new Map();
  for (const [name, facts] of Object.entries(state.profile.columns)) {
    const item = h("li", { class: "column", "data-column": name });
    items.set(name, () => draw(item, name, facts));
    items.get(name)();
    list.append(item);
  }
  listen("hierarchies", () => items.forEach((again) => again()));
  listen("roles", () => items.forEach((again) => again()));
  return h(
    "section",
    { class: "box", "aria-labelledby": "columns-title" },
    h("h2", { id: "columns-title" }, "Columns"),
    h("p", { class: "soft" }, "The roles are suggestions from names and counts. Correct them: everything else follows."),
    list,
  );
}

function draw(item, name, facts) {
  const column = state.policy.columns[name] ?? { role: "insensitive" };
  item.dataset.role = column.role;
  const about = facts.exact ? "" : "≈ ";
  const told = [facts.type.toLowerCase(), `${about}${counted(facts.distinct, "value")}`];
  if (facts.nulls) told.push(`${facts.nulls.toLocaleString("en")} missing`);
  told.push(`separates ${percent(facts.separation.value)}`);
  const id = item.dataset.column;
  redraw(
    item,
    h("div", { class: "column-head" }, h("h3", { id: `column-${id}` }, visible(name)), h("span", { class: "soft facts" }, told.join(" · "))),
    h("div", { class: "roles", role: "radiogroup", "aria-labelledby": `column-${id}` }, ROLES.map((role) => choice(name, column.role, role))),
    h("p", { class: "hint" }, visible(facts.reason)),
    column.role === "sensitive" ? distanceSettings(name, column, facts) : null,
    column.role === "quasi-identifier" ? hierarchySettings(name, column) : null,
  );
}

function choice(name, current, [role, text, meaning]) {
  const id = `role-${name}-${role}`;
  return h(
    "span",
    { class: "role" },
    h("input", { type: "radio", id, name: `role-${name}`, value: role, checked: role === current, on: { change: () => assign(name, role) } }),
    h("label", { for: id, title: meaning }, text),
  );
}

function assign(name, role) {
  change((policy) => {
    policy.columns[name] = { role };
    delete state.hierarchies[name];
  });
  tell("roles");
  if (role === "quasi-identifier") look([name]).catch(() => null);
}
