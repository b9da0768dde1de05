// The path through the page: what is done, what is next, and how to get there.

import { button, h, redraw } from "./dom.js";
import { outdated } from "./stale.js";
import { listen, quasi, rolesSuggested, sensitive, state } from "./store.js";
import { requirementsSuggested } from "./requirements.js";

const required = () => [state.policy.policy, ...Object.values(state.policy.columns)].some((part) => state.words.models.some((model) => model.key in part)) || Boolean(state.policy.policy.preset);
const released = () => Boolean(state.release && !outdated(state.release));

const STEPS = [
  { key: "columns", text: "Columns", view: "columns", at: "columns-title", done: () => quasi().length > 0 && sensitive().length > 0, suggested: rolesSuggested, todo: "Say what each column is." },
  { key: "requirements", text: "Requirements", view: "columns", at: "requirements-title", done: required, suggested: requirementsSuggested, todo: "Say what must hold." },
  { key: "findings", text: "Findings", view: "figures", at: "panel-figures", done: () => Boolean(state.audit.result) && !state.audit.stale && !state.audit.busy, todo: () => (state.audit.error ? "See why the table cannot be measured." : "Wait for the figures.") },
  { key: "release", text: "Release", view: "repair", at: "release-title", done: () => released() && state.release.result.release.holds, todo: "Make a release that meets what is required." },
  { key: "over", text: "Hand over", view: "repair", at: "hand-over", done: () => released() && state.handedOver === state.release.id, todo: "Take the package away." },
];

const toDo = ({ todo }) => (typeof todo === "function" ? todo() : todo);

export function pathBar(turn) {
  const bar = h("nav", { class: "path", "aria-label": "The path" });
  const go = (step) => {
    turn(step.view);
    const place = document.getElementById(step.at) ?? document.getElementById("release-title");
    place.scrollIntoView({ block: "start", behavior: "instant" });
    place.closest("section")?.querySelector("input, select, button")?.focus({ preventScroll: true });
  };
  const draw = () => {
    const done = STEPS.map((step) => step.done());
    const next = done.indexOf(false);
    const item = (step, at) => {
      const word = done[at] ? (step.suggested?.() ? "suggested" : "done") : at === next ? "next" : "later";
      return h("li", { class: word }, button([h("span", { class: "sign", "aria-hidden": "true" }, word === "done" ? "✓" : word === "suggested" ? "?" : String(at + 1)), step.text, h("span", { class: word === "suggested" ? "soft" : "unseen" }, `, ${word}`)], () => go(step), { id: `step-${step.key}`, "aria-current": at === next ? "step" : null }));
    };
    redraw(bar, h("ol", {}, STEPS.map(item)), h("p", { class: "hint", id: "step-hint" }, next < 0 ? "Everything is done." : `Next: ${toDo(STEPS[next])}`));
  };
  for (const topic of ["audit", "policy", "roles", "release"]) listen(topic, draw);
  draw();
  return bar;
}
