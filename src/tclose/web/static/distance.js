// A sensitive attribute: how far apart two of its values are, and what a missing one means.

import { field, h, select } from "./dom.js";
import { meaning } from "./terms.js";
import { treeEditor } from "./tree.js";
import { change, firstTree, tell } from "./store.js";

const DISTANCES = [
  ["", "as its type suggests"],
  ["ordered", "ordered: by rank"],
  ["numeric", "numeric: by difference"],
  ["nominal", "nominal: all equally far"],
  ["hierarchical", "hierarchical: by a tree"],
];
const NULLS = {
  ordered: [["error", "refused"], ["drop", "left out"], ["first", "placed first"], ["last", "placed last"]],
  numeric: [["error", "refused"], ["drop", "left out"]],
  nominal: [["category", "a value of its own"], ["drop", "left out"], ["error", "refused"]],
  hierarchical: [["error", "refused"], ["drop", "left out"]],
};

export function distanceSettings(name, column, facts) {
  const word = column.distance ?? "";
  const listed = Array.isArray(column.order);
  const set = (task) => {
    change((policy) => task(policy.columns[name]));
    tell("roles");
  };
  const turnTo = async (chosen) => {
    const tree = chosen === "hierarchical" ? await firstTree(name).catch(() => null) : null;
    set((mine) => turn(mine, chosen, tree));
  };
  const parts = [field("Distance", select(DISTANCES, word, turnTo, { id: `distance-${name}` }), null, meaning("distance"))];
  if (word === "ordered") {
    const orders = [["value", "by value"], ["frequency", "by frequency"], ["list", "as listed"]];
    const chosen = (order) => set((mine) => { mine.order = order === "list" ? [] : order; });
    parts.push(field("Order", select(orders, listed ? "list" : column.order ?? "value", chosen, { id: `order-${name}` })));
  }
  if (word && facts.nulls) {
    const chosen = (nulls) => set((mine) => { mine.nulls = nulls; });
    parts.push(field("Missing values", select(NULLS[word], column.nulls ?? NULLS[word][0][0], chosen, { id: `nulls-${name}` })));
  }
  if (word === "ordered" || word === "numeric") parts.push(field("Rounded to", stepInput(name, column, set)));
  const below = [];
  if (word === "ordered" && listed) below.push(orderList(name, column, set));
  if (word === "hierarchical") below.push(treeEditor(name, column.hierarchy ?? { "*": [] }, (tree) => set((mine) => { mine.hierarchy = tree; })));
  return h("div", { class: "settings" }, parts, below);
}

function turn(column, word, tree) {
  const rounded = word === "ordered" || word === "numeric" ? [] : ["round"];
  for (const key of ["distance", "order", "nulls", "hierarchy", ...rounded]) delete column[key];
  if (word) column.distance = word;
  if (tree) column.hierarchy = tree;
}

function stepInput(name, column, set) {
  const input = h("input", {
    type: "text",
    id: `round-${name}`,
    inputmode: "decimal",
    placeholder: "not rounded",
    value: column.round ?? "",
    on: {
      change: () => set((mine) => {
        if (input.value.trim()) mine.round = input.value.trim();
        else delete mine.round;
      }),
    },
  });
  return input;
}

function orderList(name, column, set) {
  const area = h("textarea", {
    id: `list-${name}`,
    rows: "4",
    value: column.order.join("\n"),
    on: { change: () => set((mine) => { mine.order = area.value.split("\n").map((line) => line.trim()).filter(Boolean); }) },
  });
  return field("The values in their order, one a line", area);
}
