// A tree written by hand: groups, and under each, indented by two spaces or more, what belongs to it.

import { button, field, h } from "./dom.js";

export function treeOf(text) {
  const root = { label: "*", depth: -1, children: [] };
  const above = [root];
  for (const line of text.split("\n")) {
    if (!line.trim()) continue;
    const depth = line.length - line.trimStart().length;
    const node = { label: line.trim(), depth, children: [] };
    while (above.at(-1).depth >= depth) above.pop();
    above.at(-1).children.push(node);
    above.push(node);
  }
  const asData = (nodes) =>
    nodes.every((node) => !node.children.length)
      ? nodes.map((node) => node.label)
      : Object.fromEntries(nodes.map((node) => [node.label, asData(node.children)]));
  return { "*": asData(root.children) };
}

export function textOf(tree) {
  const lines = [];
  const write = (below, depth) => {
    const indent = "  ".repeat(depth);
    if (Array.isArray(below)) for (const leaf of below) typeof leaf === "object" ? write(leaf, depth) : lines.push(indent + leaf);
    else if (below && typeof below === "object") {
      for (const [label, children] of Object.entries(below)) {
        lines.push(indent + label);
        write(children, depth + 1);
      }
    } else if (below !== null && below !== undefined) lines.push(indent + below);
  };
  if (tree && typeof tree === "object") write(Object.values(tree)[0], 0);
  return lines.join("\n");
}

export function outline(name, tree, changed, leaves = null) {
  const start = tree && typeof tree === "object" ? textOf(tree) : (leaves ?? []).join("\n");
  const area = h("textarea", {
    id: `tree-${name}`,
    rows: "7",
    spellcheck: "false",
    value: start,
    on: { change: () => changed(treeOf(area.value)) },
  });
  // Moves the lines that are selected, or the one with the cursor, a step to the right or to the left.
  const shift = (way) => {
    const { value, selectionStart, selectionEnd } = area;
    const from = value.lastIndexOf("\n", selectionStart - 1) + 1;
    const to = value.indexOf("\n", Math.max(selectionStart, selectionEnd - 1)) < 0 ? value.length : value.indexOf("\n", Math.max(selectionStart, selectionEnd - 1));
    const lines = value.slice(from, to).split("\n").map((line) => (way > 0 ? `  ${line}` : line.replace(/^ {1,2}/, "")));
    area.value = value.slice(0, from) + lines.join("\n") + value.slice(to);
    area.focus();
    area.setSelectionRange(from, from + lines.join("\n").length);
  };
  // A new group above the lines that are selected, which go under it.
  const group = () => {
    const from = area.value.lastIndexOf("\n", area.selectionStart - 1) + 1;
    const indent = area.value.slice(from).match(/^ */)[0];
    shift(1);
    area.setRangeText(`${indent}new group\n`, from, from, "start");
    area.setSelectionRange(from + indent.length, from + indent.length + "new group".length);
  };
  const tools = h("p", { class: "actions" }, button("Group the selected lines", group, { class: "quiet" }), button("→ under the line above", () => shift(1), { class: "quiet" }), button("← one level up", () => shift(-1), { class: "quiet" }), button("Use this tree", () => changed(treeOf(area.value)), { class: "quiet" }));
  return h("div", { class: "outline" }, field("The tree: a group on its line, what belongs to it below, indented", area), tools);
}
