// A quasi-identifier: how it is generalised, and what its values become on each level.

import { button, field, h, say, select } from "./dom.js";
import { post } from "./api.js";
import { counted, shown, visible, withHint } from "./format.js";
import { meaning } from "./terms.js";
import { treeEditor } from "./tree.js";
import { change, look, state, tell } from "./store.js";

const BUILDERS = [
  ["auto", "from the values"],
  ["flat", "kept or hidden"],
  ["mask", "masked from the right"],
  ["mask:left", "masked from the left"],
  ["intervals", "intervals of widths"],
  ["breaks", "intervals from breaks"],
  ["quantiles", "groups of equal rows"],
  ["groups", "groups of neighbours"],
  ["dates", "calendar"],
  ["tree", "a tree by hand"],
];
const NUMBERS = {
  intervals: ["Widths, each a multiple of the one before", "5,10,20"],
  breaks: ["Where intervals start; a level after each /", "18,30,65/30"],
  quantiles: ["Numbers of groups, descending", "8,4,2"],
  groups: ["Values in a group, level by level", "2,4"],
  dates: ["Levels of the calendar", "month,year"],
};

export function hierarchySettings(name, column) {
  const given = column.hierarchy ?? "auto";
  const isTree = typeof given === "object";
  const isFile = !isTree && !BUILDERS.some(([key]) => key === given || key === given.split(":")[0]);
  const word = isTree ? "tree" : isFile ? given : given === "mask:left" ? given : given.split(":")[0];
  const found = state.hierarchies[name];
  const set = (hierarchy) => {
    change((policy) => { policy.columns[name].hierarchy = hierarchy; }, { measured: false });
    look([name]).catch((problem) => {
      state.hierarchies[name] = { error: { message: problem.message } };
      tell("hierarchies");
    });
    tell("roles");
  };
  const options = isFile ? [[given, `file ${given.split(/[/\\]/).at(-1)}`], ...BUILDERS] : BUILDERS;
  const chosen = (key) => set(key === "tree" ? { "*": found?.leaves ?? [] } : key in NUMBERS ? `${key}:${NUMBERS[key][1]}` : key);
  const parts = [field("Generalised", select(options, word, chosen, { id: `hierarchy-${name}` }), null, meaning("hierarchy"))];
  if (word in NUMBERS) {
    const [label, example] = NUMBERS[word];
    const numbers = given.includes(":") ? given.slice(given.indexOf(":") + 1) : "";
    const input = h("input", { type: "text", id: `numbers-${name}`, value: numbers, placeholder: example, on: { change: () => set(input.value.trim() ? `${word}:${input.value.trim()}` : word) } });
    parts.push(field(label, input));
  }
  const weight = h("input", { type: "text", inputmode: "decimal", id: `weight-${name}`, value: column.weight ?? "", placeholder: "1", on: { change: () => weigh(name, weight.value) } });
  parts.push(field("Weight in the loss", weight));
  return h("div", { class: "settings" }, parts, isTree ? treeEditor(name, given, set, found?.leaves) : editable(name, found, set), preview(name, found));
}

// What was made from the values, or by a rule, as a tree that can be changed by hand.
function editable(name, found, set) {
  if (!found?.tree) return null;
  return h("p", { class: "actions" }, button("Edit as a tree", () => set(found.tree), { class: "quiet", id: `edit-${name}` }));
}

function weigh(name, text) {
  const number = Number(text.trim());
  change((policy) => {
    if (text.trim() && number > 0) policy.columns[name].weight = number;
    else delete policy.columns[name].weight;
  }, { measured: false });
}

function preview(name, found) {
  if (!found) return h("p", { class: "hint" }, "Looking at the values…");
  if (found.error) return h("p", { class: "problem", role: "alert" }, withHint(found.error));
  const heads = found.levels.map(({ level, nodes }) => h("th", { scope: "col" }, level === 0 ? counted(nodes, "value") : `level ${level}: ${nodes.toLocaleString("en")}`));
  return h(
    "details",
    { class: "preview", open: state.open.levels.has(name), on: { toggle: (event) => remember(name, event.target.open) } },
    h("summary", {}, `${counted(found.height, "level")} above ${counted(found.values, "value")}`),
    found.note ? h("p", { class: "hint" }, found.note) : null,
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": `Levels of ${visible(name)}` },
      h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, found.rows.map((row) => h("tr", {}, row.map((label) => h("td", {}, shown(label, 40))))))),
    ),
  );
}

function remember(name, open) {
  if (open) state.open.levels.add(name);
  else state.open.levels.delete(name);
}

const byTree = (name) => state.policy.columns[name].distance === "hierarchical";

// Where trees that were loaded are used at once, and where they wait.
function places(trees) {
  const named = Object.keys(state.policy.columns).filter((name) => trees[name]);
  const some = (wanted) => named.filter((name) => wanted(name, state.policy.columns[name].role));
  return {
    generalised: some((_, role) => role === "quasi-identifier"),
    apart: some((name, role) => role === "sensitive" && byTree(name)),
    sensitive: some((name, role) => role === "sensitive" && !byTree(name)),
    others: some((_, role) => !["quasi-identifier", "sensitive"].includes(role)),
  };
}

const listedAs = (words, names, end) => (names.length ? ` ${words}${names.map(visible).join(", ")}${end}` : "");

// Loads hierarchies from files, each for the column that it is named after.
export function hierarchyLoader() {
  const told = h("div", { role: "status" });
  const input = h("input", { type: "file", multiple: true, id: "hierarchy-files", class: "unseen", tabindex: "-1", "aria-label": "Hierarchy files", on: { change: () => load() } });
  async function load() {
    const files = await Promise.all([...input.files].map(async (file) => ({ name: file.name, text: await file.text() })));
    input.value = "";
    try {
      const { trees, problems } = await post(`/tables/${state.table.id}/hierarchies`, { files, columns: Object.keys(state.policy.columns) });
      const { generalised, apart, sensitive, others } = places(trees);
      const names = [...generalised, ...apart];
      for (const name of [...sensitive, ...others]) state.before[name] = { ...state.before[name], "quasi-identifier": { role: "quasi-identifier", hierarchy: trees[name] } };
      if (names.length) {
        change((policy) => { for (const name of names) policy.columns[name].hierarchy = trees[name]; }, { measured: apart.length > 0 });
        for (const name of generalised) delete state.hierarchies[name];
        tell("roles");
        if (generalised.length) look(generalised).catch(() => null);
      }
      const kept = `${listedAs("Kept for when they are quasi-identifiers: ", others, ".")}${listedAs("Kept for a distance by a tree: ", sensitive, ".")}`;
      const sentence = `${names.length ? `Loaded for ${names.map(visible).join(", ")}.` : "None was loaded."}${kept}`;
      told.replaceChildren(h("p", { class: "hint" }, sentence), ...problems.map((problem) => h("p", { class: "problem" }, `${visible(problem.file)}: ${withHint(problem)}`)));
      say(sentence);
    } catch (problem) {
      told.replaceChildren(h("p", { class: "problem" }, visible(problem.message)));
    }
  }
  return h("div", {}, h("p", { class: "actions" }, button("Load hierarchies…", () => input.click(), { class: "quiet", id: "hierarchy-load" }), input), h("p", { class: "hint" }, "One file for each quasi-identifier, or sensitive column whose values are apart by a tree, named after it: a row for each value, from the value to *."), told);
}
