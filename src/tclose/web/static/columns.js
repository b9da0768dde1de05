// The columns: what each of them is, as suggested, and as the person says by clicking.

import { h, redraw, select } from "./dom.js";
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

const MANY = 12;

export function columnsPanel() {
  const list = h("ul", { class: "columns" });
  const items = Object.entries(state.profile.columns).map(([name, facts]) => ({ name, facts, drawn: "", element: h("li", { class: "column", "data-column": name }) }));
  const again = () => {
    for (const item of items) {
      const now = JSON.stringify([state.policy.columns[item.name], state.hierarchies[item.name]]);
      if (now === item.drawn) continue;
      item.drawn = now;
      draw(item.element, item.name, item.facts);
    }
  };
  again();
  list.append(...items.map((item) => item.element));
  listen("hierarchies", again);
  listen("roles", again);
  return h(
    "section",
    { class: "box", "aria-labelledby": "columns-title" },
    h("h2", { id: "columns-title" }, "Columns"),
    h("p", { class: "soft" }, "The roles are suggestions from names and counts. Correct them: everything else follows."),
    items.length > MANY ? finder(items) : null,
    list,
  );
}

// Where there are many columns: some of them, by their name or because they have a role.
function finder(items) {
  const found = h("p", { class: "hint", role: "status" });
  const search = h("input", { type: "search", id: "column-search", placeholder: "Find a column", "aria-label": "Find a column", on: { input: () => narrow() } });
  const which = select([["", "all"], ["given", "with a role"]], "", () => narrow(), { id: "column-which", "aria-label": "Which columns" });
  const narrow = () => {
    const text = search.value.trim().toLowerCase();
    for (const { name, element } of items) element.hidden = !name.toLowerCase().includes(text) || (which.value === "given" && element.dataset.role === "insensitive");
    found.textContent = `${counted(items.filter(({ element }) => !element.hidden).length, "column")} of ${items.length.toLocaleString("en")}`;
  };
  narrow();
  return h("div", { class: "finder" }, search, which, found);
}

// The engine's types in words; what has none is shown as it is.
const KINDS = [
  [/^(VARCHAR|CHAR|TEXT|STRING|UUID)/, "text"],
  [/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|LONG|SHORT)/, "whole numbers"],
  [/^(DOUBLE|FLOAT|REAL|DECIMAL|NUMERIC)/, "numbers"],
  [/^TIMESTAMP/, "dates with times"],
  [/^DATE/, "dates"],
  [/^TIME/, "times"],
  [/^BOOL/, "yes or no"],
];
const kindOf = (type) => KINDS.find(([known]) => known.test(type.toUpperCase()))?.[1] ?? type.toLowerCase();

function draw(item, name, facts) {
  const column = state.policy.columns[name] ?? { role: "insensitive" };
  item.dataset.role = column.role;
  const about = facts.exact ? "" : "≈ ";
  const told = [kindOf(facts.type), `${about}${counted(facts.distinct, "value")}`];
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
