// One class explained: in words, and as earth that is moved.

import { field, h, redraw, select } from "./dom.js";
import { post } from "./api.js";
import { both, counted, keyText, readable, visible } from "./format.js";
import { player } from "./player.js";
import { state } from "./store.js";

const RULES = { stay: "what may stay stays", monotone: "in order", tutorial: "as the tutorial does" };

export function explanationPanel() {
  const element = h("section", { class: "box explanation", "aria-label": "Explanation", tabindex: "-1" });
  const asked = { job: null, attribute: null, key: null, rule: "stay" };
  let shown = null;
  let version = 0;

  function clear() {
    version += 1; // what is still on its way is of something else
    element.removeAttribute("aria-busy");
    shown?.stop();
    shown = null;
    asked.key = null;
    redraw(element, h("p", { class: "empty" }, "Choose a class to see what it would take to make it look like the whole table."));
  }

  async function load({ focus = false } = {}) {
    const mine = (version += 1);
    shown?.stop();
    element.setAttribute("aria-busy", "true");
    try {
      const told = await post(`/jobs/${asked.job}/explanation`, { attribute: asked.attribute, key: asked.key, rule: asked.rule });
      if (mine !== version) return;
      draw(told);
      if (focus) element.scrollIntoView({ block: "nearest" });
    } catch (problem) {
      if (mine === version) redraw(element, h("p", { class: "problem", role: "alert" }, visible(problem.message)));
    } finally {
      if (mine === version) element.removeAttribute("aria-busy");
    }
  }

  function draw(told) {
    shown = player(told);
    const names = Object.keys(state.audit.result?.audit.attributes ?? {});
    const onALine = told.measured.distance === "ordered" || told.measured.distance === "numeric";
    const choices = h(
      "div",
      { class: "toolbar" },
      names.length > 1 ? field("Attribute", select(names.map((name) => [name, visible(name)]), told.attribute, (name) => { asked.attribute = name; load(); }, { id: "explain-attribute" })) : null,
      onALine ? field("Plan", select(state.words.rules.map((rule) => [rule, RULES[rule] ?? rule]), asked.rule, (rule) => { asked.rule = rule; load(); }, { id: "explain-rule" })) : null,
    );
    redraw(
      element,
      h("h2", {}, `${keyText(told.class)}: t = ${both(told.t)}`),
      h("p", { class: "soft" }, `${visible(told.attribute)}, ${told.counts === "people" ? counted(told.size, "value of people", "values of people") : counted(told.size, "row")} of the class against ${told.total.toLocaleString("en")} of the whole`),
      choices,
      shown.element,
      told.words.map((sentence) => h("p", {}, readable(sentence))),
    );
  }

  function show(job, attribute, key) {
    const names = Object.keys(state.audit.result?.audit.attributes ?? {});
    if (!names.length) return;
    const fitting = attribute ?? (names.includes(asked.attribute) ? asked.attribute : names[0]);
    Object.assign(asked, { job, key, attribute: fitting });
    load({ focus: true });
  }

  // After another audit: the same class again if its quasi-identifiers are still the same, else none.
  function again(job) {
    const same = asked.key && JSON.stringify(Object.keys(asked.key)) === JSON.stringify(state.audit.result.audit.roles.quasi);
    if (same && state.audit.result.audit.attributes[asked.attribute]) {
      asked.job = job;
      load();
      return true;
    }
    clear();
    return false;
  }

  clear();
  return { element, show, again, clear };
}
