// The columns, a line each: what each of them is, as suggested, and as the person says. A line opens to its settings.

import { button, h, redraw, select } from "./dom.js";
import { counted, percent, visible } from "./format.js";
import { columnFault } from "./faults.js";
import { meaning } from "./terms.js";
import { distanceSettings } from "./distance.js";
import { hierarchyLoader, hierarchySettings } from "./hierarchy.js";
import { change, listen, look, namesWith, rolesSuggested, state, tell } from "./store.js";

const ROLES = [
  ["undecided", "Undecided", "withheld until you say what it is"],
  ["identifier", "Identifier", "names a person outright: left out of a release"],
  ["person", "Person", "tells people apart who have several rows: people are counted; left out of a release"],
  ["quasi-identifier", "Quasi-identifier", "others may know it of a person"],
  ["sensitive", "Sensitive", "what is to be protected"],
  ["remove", "Remove", "left out of a release"],
  ["publish", "Publish as is", "published as it is, without protection"],
];

// Roles that only a policy gives: shown where it does.
const OF_POLICIES = [
  ["pseudonym", "Pseudonym", "tells people apart: people are counted; a release has random numbers in its place"],
  ["shifted", "Shifted", "dates: in a release all of a person are moved by the same number of days"],
];

const MANY = 12;

export function columnsPanel() {
  const list = h("ul", { class: "columns" });
  const told = h("p", { class: "soft" });
  const items = Object.entries(state.profile.columns).map(([name, facts]) => ({ name, facts, drawn: "", element: h("li", { class: "column", "data-column": name }) }));
  const again = () => {
    told.textContent = rolesSuggested() ? "These roles are suggested, from names and counts. Correct them: everything else follows." : "What each column is. Everything else follows.";
    for (const item of items) {
      const now = JSON.stringify([state.policy.columns[item.name], state.hierarchies[item.name], columnFault(item.name)]);
      if (now === item.drawn) continue;
      item.drawn = now;
      draw(item.element, item.name, item.facts);
    }
  };
  again();
  list.append(...items.map((item) => item.element));
  listen("hierarchies", again);
  listen("roles", again);
  listen("audit", again);
  listen("fields", again);
  return h(
    "section",
    { class: "box", "aria-labelledby": "columns-title" },
    h("h2", { id: "columns-title" }, "Columns"),
    told,
    items.length > MANY ? finder(items) : null,
    list,
    hierarchyLoader(),
  );
}

// Where there are many columns: some of them, by their name or because they have a role.
function finder(items) {
  const found = h("p", { class: "hint", role: "status" });
  const search = h("input", { type: "search", id: "column-search", placeholder: "Find a column", "aria-label": "Find a column", on: { input: () => narrow() } });
  const which = select([["", "all"], ["given", "decided"]], "", () => narrow(), { id: "column-which", "aria-label": "Which columns" });
  const narrow = () => {
    const text = search.value.trim().toLowerCase();
    for (const { name, element } of items) element.hidden = !name.toLowerCase().includes(text) || (which.value === "given" && element.dataset.role === "undecided");
    found.textContent = `${counted(items.filter(({ element }) => !element.hidden).length, "column")} of ${items.length.toLocaleString("en")}`;
  };
  narrow();
  return h("div", { class: "finder" }, search, which, found);
}

// The engine's types in words; what has none is shown as it is.
const KINDS = [
  [/^(VARCHAR|CHAR|TEXT|STRING|UUID)/, "Text"],
  [/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|LONG|SHORT)/, "Whole numbers"],
  [/^(DOUBLE|FLOAT|REAL|DECIMAL|NUMERIC)/, "Numbers"],
  [/^TIMESTAMP/, "Dates with times"],
  [/^DATE/, "Dates"],
  [/^TIME/, "Times"],
  [/^BOOL/, "Yes or no"],
];
const kindOf = (type) => KINDS.find(([known]) => known.test(type.toUpperCase()))?.[1] ?? type;

function draw(item, name, facts) {
  const column = state.policy.columns[name] ?? { role: "undecided" };
  item.dataset.role = column.role;
  const about = facts.exact ? "" : "≈ ";
  const told = `${about}${counted(facts.distinct, "value")}`;
  const roles = [...ROLES, ...OF_POLICIES.filter(([role]) => role === column.role)];
  const open = state.open.columns.has(name);
  const title = button([h("span", { class: "turn", "aria-hidden": "true" }, open ? "▾" : "▸"), h("span", { class: "label" }, visible(name))], () => { remember(name, !open); draw(item, name, facts); }, { id: `column-${name}`, class: "unfold", "aria-expanded": String(open), title: visible(name) });
  const below = [columnFault(name) ? h("p", { class: "problem" }, visible(columnFault(name))) : null, open ? settings(name, column, facts, roles) : null].filter(Boolean);
  const chosen = document.activeElement;
  if (chosen?.id === `role-${name}` && item.contains(chosen) && chosen.options.length === roles.length) {
    // The list of roles stays while somebody types a role's name into it: a new one would begin anew at every letter.
    const line = chosen.parentElement;
    chosen.value = column.role;
    line.querySelector("h3").replaceChildren(title);
    for (const other of [...item.children]) if (other !== line) other.remove();
    item.append(...below);
    return;
  }
  redraw(
    item,
    h("div", { class: "column-line" }, h("h3", {}, title), h("span", { class: "soft facts" }, told), select(roles.map(([role, text]) => [role, text]), column.role, (role) => assign(name, role), { id: `role-${name}`, "aria-label": `What ${visible(name)} is` })),
    below,
  );
}

function settings(name, column, facts, roles) {
  const means = roles.find(([role]) => role === column.role)[2];
  const given = state.suggested?.columns[name]?.role === column.role ? ` Suggested: ${facts.reason.charAt(0).toLowerCase()}${facts.reason.slice(1)} Confidence: ${facts.confidence}. ${facts.change}` : "";
  return h(
    "div",
    { class: "column-more" },
    h("p", { class: "hint" }, `${means.charAt(0).toUpperCase()}${means.slice(1)}. ${kindOf(facts.type)}${facts.nulls ? `, ${facts.nulls.toLocaleString("en")} missing` : ""}; separates ${percent(facts.separation.value)} of all pairs of rows.${visible(given)}`, meaning(column.role)),
    column.role === "sensitive" ? distanceSettings(name, column, facts) : null,
    column.role === "quasi-identifier" ? hierarchySettings(name, column) : null,
  );
}

function remember(name, open) {
  if (open) state.open.columns.add(name);
  else state.open.columns.delete(name);
}

function assign(name, role) {
  change((policy) => {
    if (role === "person") for (const other of [...namesWith("person"), ...namesWith("pseudonym")]) policy.columns[other] = { role: "identifier" };
    state.before[name] = { ...state.before[name], [policy.columns[name]?.role]: policy.columns[name] };
    policy.columns[name] = state.before[name][role] ?? { role };
    delete state.hierarchies[name];
  });
  tell("roles");
  if (role === "quasi-identifier") look([name]).catch(() => null);
}
