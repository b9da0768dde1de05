// Undo and redo: whatever was set, step by step, also after a reload.

import { button, h, redraw, say } from "./dom.js";
import { forget, listen, look, measure, state, tell } from "./store.js";

function restore(policy, said) {
  const changed = Object.keys(policy.columns).filter((name) => JSON.stringify(policy.columns[name]) !== JSON.stringify(state.policy.columns[name]));
  state.policy = policy;
  for (const name of changed) delete state.hierarchies[name];
  forget();
  for (const topic of ["policy", "roles", "hierarchies"]) tell(topic);
  measure();
  const quasi = changed.filter((name) => policy.columns[name].role === "quasi-identifier");
  if (quasi.length) look(quasi).catch(() => null);
  say(said);
}

// Takes the last change back, or makes it again: from one list to the other.
function step(from, to, said) {
  if (!from.length) return;
  to.push(structuredClone(state.policy));
  restore(from.pop(), said);
}

const undo = () => step(state.history.past, state.history.future, "Taken back");
const redo = () => step(state.history.future, state.history.past, "Done again");

// While something is written in a field, its letters are taken back; once it is set, the setting is.
const written = new WeakSet();
addEventListener("input", ({ target }) => written.add(target));
addEventListener("change", ({ target }) => target.type === "search" || written.delete(target));
const writes = (element) => written.has(element) && element.matches("textarea, input[type=text], input[type=search]");

addEventListener("keydown", (event) => {
  if (!state.table || !(event.ctrlKey || event.metaKey) || writes(event.target)) return;
  const key = event.key.toLowerCase();
  const task = key === "y" || (key === "z" && event.shiftKey) ? redo : key === "z" ? undo : null;
  if (!task) return;
  event.preventDefault();
  task();
});

export function historyBar() {
  const bar = h("div", { class: "history", role: "group", "aria-label": "Undo and redo" });
  const draw = () => {
    const { past, future } = state.history;
    redraw(bar, button("↶ Undo", undo, { class: "quiet", id: "undo", title: "Take the last change back (Ctrl+Z)", disabled: !past.length }), button("↷ Redo", redo, { class: "quiet", id: "redo", title: "Make it again (Ctrl+Shift+Z)", disabled: !future.length }));
  };
  for (const topic of ["policy", "roles"]) listen(topic, draw);
  draw();
  return bar;
}
