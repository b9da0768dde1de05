// The tree of a column, edited: with the mouse by dragging, with the keyboard by choosing where to.

import { button, field, h, redraw, say, select } from "./dom.js";
import { shown, visible } from "./format.js";
import { branchesOf, dissolve, group, groupsOf, leavesBelow, move, rename, treeOfBranches, walk } from "./branches.js";
import { outline } from "./outline.js";
import { state } from "./store.js";

const MANY = 40;
const CARRIED = "application/x-tclose-branches";
const keep = () => (state.open.trees ??= {});
const nameOf = ({ node, above }) => JSON.stringify([...above.slice(1), node].map(({ label }) => label));

export function treeEditor(name, tree, changed, leaves) {
  const root = branchesOf(tree);
  const mine = (keep()[name] ??= { closed: new Set(), chosen: new Set(), at: "", fresh: true });
  if (mine.fresh && leavesBelow(root) > MANY) for (const each of walk(root)) if (each.node.children) mine.closed.add(nameOf(each));
  mine.fresh = false;
  const element = h("div", { class: "tree-editor" });
  const problem = h("p", { class: "problem", role: "alert" });
  const list = h("ul", { role: "tree", class: "tree", "aria-label": `The tree of ${visible(name)}`, "aria-multiselectable": "true", on: { keydown } });
  const tools = h("div", { class: "tree-tools" });

  const all = () => [...walk(root)];
  const seen = () => all().filter(({ above }) => above.slice(1).every((node, at) => !mine.closed.has(nameOf({ node, above: above.slice(0, at + 1) }))));
  const focused = () => all().find((each) => nameOf(each) === mine.at) ?? seen()[0];
  // What is moved: all that was chosen, or else where the keyboard is.
  const meant = () => {
    const chosen = all().filter((each) => mine.chosen.has(nameOf(each)));
    return (chosen.length ? chosen : [focused()]).filter(Boolean).map(({ node }) => node);
  };

  // Does one thing to the tree; what it is about stays in sight, and the keyboard with it.
  function act(task, words, about) {
    problem.textContent = task();
    if (problem.textContent) return;
    mine.chosen.clear();
    mine.draft = mine.to = null;
    const place = all().find(({ node }) => node === about);
    if (place) {
      mine.at = nameOf(place);
      place.above.slice(1).forEach((node, at) => mine.closed.delete(nameOf({ node, above: place.above.slice(0, at + 1) })));
    }
    say(words);
    changed(treeOfBranches(root));
    queueMicrotask(() => document.getElementById(`node-${name}-${mine.at}`)?.focus());
  }

  const moveTo = (nodes, into) => act(() => move(root, nodes, into), `Moved to ${into.label}`, nodes[0]);

  // A drag carries the names of what is dragged, so that a tree drawn anew on the way knows what is meant.
  function carry(event, ids) {
    event.dataTransfer.setData(CARRIED, JSON.stringify([name, ids]));
    event.dataTransfer.effectAllowed = "move";
    event.stopPropagation();
  }

  function dropped(event, into) {
    const [from, ids] = JSON.parse(event.dataTransfer.getData(CARRIED) || "[null, []]");
    const nodes = from === name ? all().filter((each) => ids.includes(nameOf(each))).map(({ node }) => node) : [];
    if (nodes.length) moveTo(nodes, into);
  }

  function item(each) {
    const { node, above } = each;
    const id = nameOf(each);
    const open = !mine.closed.has(id);
    const drag = { dragstart: (event) => carry(event, mine.chosen.has(id) ? all().map(nameOf).filter((other) => mine.chosen.has(other)) : [id]) };
    const accept = node.children ? { dragover: (event) => { if (event.dataTransfer.types.includes(CARRIED)) { event.preventDefault(); line.classList.add("over"); } }, dragleave: () => line.classList.remove("over"), drop: (event) => { event.preventDefault(); event.stopPropagation(); line.classList.remove("over"); dropped(event, node); } } : {};
    const line = h(
      "li",
      {
        role: "treeitem", id: `node-${name}-${id}`, class: node.children ? "branch" : "leaf", draggable: "true", tabindex: id === (mine.at || nameOf(seen()[0])) ? "0" : "-1",
        "aria-level": String(above.length), "aria-expanded": node.children ? String(open) : null, "aria-selected": String(mine.chosen.has(id)),
        on: { click: (event) => { if (mine.at !== id) mine.draft = null; mine.at = id; if (node.children && event.target.classList.contains("turn")) turn(each, !open); else choose(id, event.ctrlKey || event.metaKey || event.shiftKey); }, ...drag, ...accept },
      },
      h("span", { class: "turn", "aria-hidden": "true" }, node.children ? (open ? "▾" : "▸") : ""),
      h("span", { class: "label" }, shown(node.label, 60)),
      node.children ? h("span", { class: "soft" }, ` ${leavesBelow(node).toLocaleString("en")}`) : null,
    );
    line.style.paddingInlineStart = `${above.length - 1}rem`;
    return line;
  }

  function turn(each, open) {
    if (open) mine.closed.delete(nameOf(each));
    else mine.closed.add(nameOf(each));
    draw();
  }

  function choose(id, more) {
    const was = mine.chosen.has(id);
    if (!more) mine.chosen.clear();
    if (was) mine.chosen.delete(id);
    else mine.chosen.add(id);
    draw();
  }

  function go(each) {
    if (!each) return;
    if (mine.at !== nameOf(each)) mine.draft = null;
    mine.at = nameOf(each);
    draw();
  }

  function keydown(event) {
    const here = focused();
    const items = seen();
    const at = items.findIndex((each) => each.node === here?.node);
    const parent = items.find((each) => each.node === here?.above.at(-1));
    const closed = here && mine.closed.has(nameOf(here));
    const keys = {
      ArrowDown: () => go(items[at + 1]),
      ArrowUp: () => go(items[at - 1]),
      Home: () => go(items[0]),
      End: () => go(items.at(-1)),
      ArrowRight: () => (here.node.children && closed ? turn(here, true) : go(here.node.children ? items[at + 1] : null)),
      ArrowLeft: () => (here.node.children && !closed ? turn(here, false) : go(parent)),
      " ": () => choose(nameOf(here), true),
      Enter: () => here.node.children && turn(here, closed),
      F2: () => document.getElementById(`group-name-${name}`).focus(),
      m: () => document.getElementById(`move-to-${name}`).focus(),
    };
    if (!here || !(event.key in keys) || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  }

  function draw() {
    const within = list.contains(document.activeElement);
    list.replaceChildren(...seen().map(item));
    if (within) document.getElementById(`node-${name}-${mine.at}`)?.focus();
    drawTools();
  }

  function drawTools() {
    const here = focused();
    const nodes = meant();
    const words = nodes.length === 1 ? shown(nodes[0].label, 30) : `${nodes.length} chosen`;
    const groups = groupsOf(root);
    const where = select([["", "…"], ...groups.map((node, at) => [String(at), at ? shown(node.label, 40) : "the top"])], mine.to ?? "", (at) => { mine.to = at; }, { id: `move-to-${name}` });
    const label = h("input", { type: "text", id: `group-name-${name}`, value: mine.draft ?? (here?.node.children ? here.node.label : ""), placeholder: "a name", on: { input: () => { mine.draft = label.value; }, keydown: (event) => { if (event.key === "Enter" && here?.node.children) named(); } } });
    const text = () => label.value.trim();
    const needed = () => { problem.textContent = "Write the name of the group first."; label.focus(); };
    const named = () => (text() ? act(() => rename(root, here.node, text()), `Renamed to ${text()}`, here.node) : needed());
    const grouped = () => (text() ? act(() => group(root, nodes, text()), `Grouped as ${text()}`, nodes[0]) : needed());
    redraw(
      tools,
      h("div", {}, field(`Move ${words} to`, where), button("Move", () => where.value && moveTo(nodes, groups[Number(where.value)]), { class: "quiet", id: `move-${name}` })),
      h("div", {}, field("Name of a group", label), button("Group", grouped, { class: "quiet", id: `group-${name}`, title: "Put what is chosen into a new group of this name" }), here?.node.children ? button("Rename", named, { class: "quiet", id: `rename-${name}` }) : null, here?.node.children ? button("Dissolve", () => act(() => dissolve(root, here.node), `Dissolved ${here.node.label}`, here.node.children[0]), { class: "quiet", id: `dissolve-${name}` }) : null),
    );
  }

  draw();
  element.append(
    h("p", { class: "hint" }, "Drag a value or a group onto a group, or choose with Space, press M, and say where to. Arrows move, F2 names."),
    list, problem, tools,
    h("details", { open: state.open.texts?.has(name), on: { toggle: (event) => { (state.open.texts ??= new Set())[event.target.open ? "add" : "delete"](name); } } }, h("summary", {}, "The tree as text"), outline(name, tree, changed, leaves)),
  );
  return element;
}
