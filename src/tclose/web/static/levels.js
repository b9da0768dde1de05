// The levels: drag one, and see k, t and the loss move.

import { button, h, later, redraw, say } from "./dom.js";
import { run, unexpected } from "./api.js";
import { both, figure, fraction, percent, shown, visible, withHint } from "./format.js";
import { latticePanel } from "./lattice.js";
import { meaning } from "./terms.js";
import { change, listen, quasi, sensitive, state } from "./store.js";

// "holds", "fails", or nothing where nothing is required of a figure.
function judged({ requirements }, model, attribute) {
  const mine = requirements.filter((each) => each.model === model && each.attribute === attribute);
  return mine.length ? (mine.every((each) => each.holds) ? "holds" : "fails") : "";
}

function judgements({ requirements, unjudged }) {
  const row = (each) =>
    h("li", { class: each.holds ? "holds" : "fails", "data-required": each.text }, `${each.holds ? "✓" : "✗"} ${each.text}`, h("span", { class: "soft" }, ` ${each.attribute === null ? "of the table" : `of ${visible(each.attribute)}`}: ${both(each.found)}`));
  return h("ul", { class: "judged", "aria-label": "What was required" }, requirements.map(row), unjudged.map((text) => h("li", { class: "soft" }, `${text}: only an audit judges it, with its population`)));
}

export function levelsPanel() {
  const levels = {};
  const sliders = h("div", { class: "sliders" });
  const result = h("div", { class: "level-figures" });
  const problem = h("p", { class: "problem", role: "alert" });
  let current = null;

  async function measure() {
    current?.abort();
    const mine = (current = new AbortController());
    if (!quasi().length || !sensitive().length) return;
    result.setAttribute("aria-busy", "true");
    const wanted = Object.fromEntries(quasi().filter((name) => state.hierarchies[name] && !state.hierarchies[name].error).map((name) => [name, Math.min(levels[name] ?? 0, state.hierarchies[name].height)]));
    try {
      const job = await run(state.table.id, { kind: "levels", policy: state.policy, levels: wanted }, { signal: mine.signal });
      problem.textContent = "";
      show(job.result);
    } catch (error) {
      if (mine.signal.aborted) return;
      redraw(result);
      problem.textContent = visible(unexpected(error).message);
    }
    result.removeAttribute("aria-busy");
  }

  // Nothing is measured while nobody looks; what was put off is done when the panel is shown.
  let putOff = false;
  const soon = later(60, () => {
    putOff = !result.isConnected || result.offsetParent === null;
    if (!putOff) measure();
  });

  function show(found) {
    const cards = [card("k", found.k, judged(found, "k", null)), ...Object.entries(found.attributes).map(([name, { t }]) => card(`t of ${visible(name)}`, t, judged(found, "t", name), name))];
    redraw(
      result,
      h("ul", { class: "cards" }, cards, h("li", { class: "card figure-card" }, h("span", { class: "name" }, "detail lost"), h("span", { class: "value", "data-level-figure": "loss" }, percent(found.loss)), h("span", { class: "exact" }, ""), h("span", { class: "track", "aria-hidden": "true" }, h("span", { "width%": 100 * found.loss })))),
      judgements(found),
    );
    const verdict = { true: "everything required holds", false: "not everything required holds" }[found.holds] ?? "nothing is required";
    say(`${verdict}, ${cards.map((each) => each.textContent).join(", ")}, detail lost ${percent(found.loss)}`);
  }

  function card(title, found, word, attribute = null) {
    return h("li", { class: "card figure-card" }, h("span", { class: "name" }, title), h("span", { class: `value ${word}`, "data-level-figure": attribute ? `t-${attribute}` : "k" }, figure(found)), h("span", { class: "exact" }, fraction(found)), h("span", { class: word }, { holds: "✓ meets what is required", fails: "✗ not enough" }[word] ?? ""));
  }

  function draw() {
    current?.abort();
    result.setAttribute("aria-busy", "true"); // whatever stands there is of other settings
    redraw(sliders, quasi().map(slider));
    if (!quasi().length || !sensitive().length) redraw(result);
    if (quasi().length && quasi().every((name) => state.hierarchies[name])) soon();
  }

  function slider(name) {
    const found = state.hierarchies[name];
    if (!found || found.error) return h("p", { class: "hint" }, `${visible(name)}: ${found?.error ? withHint(found.error) : "looking at the values…"}`);
    levels[name] = Math.min(levels[name] ?? 0, found.height);
    const now = h("output", { for: `level-${name}` });
    const tellLevel = () => {
      const samples = [...new Set(found.rows.map((row) => row[levels[name]]))];
      const middle = samples[Math.floor(samples.length / 2)];
      now.textContent = `${levels[name]} of ${found.height}: ${found.levels[levels[name]].nodes.toLocaleString("en")} values, such as ${shown(middle, 60)}`;
    };
    const input = h("input", { type: "range", id: `level-${name}`, min: 0, max: found.height, step: 1, value: levels[name], on: { input: () => { levels[name] = Number(input.value); result.setAttribute("aria-busy", "true"); tellLevel(); soon(); } } });
    tellLevel();
    return h("div", { class: "slider" }, h("label", { for: `level-${name}` }, visible(name)), input, now);
  }

  const fix = () => change((policy) => { for (const name of quasi()) policy.columns[name].levels = levels[name] ?? 0; }, { measured: false });
  const free = () => change((policy) => { for (const name of quasi()) delete policy.columns[name].levels; }, { measured: false });
  const fixed = h("p", { class: "actions" });
  const drawFixed = () => {
    const isFixed = quasi().some((name) => state.policy.columns[name].levels !== undefined);
    redraw(fixed, isFixed ? [h("span", { class: "soft" }, "A release keeps to the levels you chose."), button("Let it choose", free, { class: "quiet", id: "levels-free" })] : button("Keep a release to these levels", fix, { class: "quiet", id: "levels-fix" }));
  };
  queueMicrotask(() => document.getElementById("panel-repair")?.addEventListener("shown", () => putOff && soon()));
  listen("hierarchies", draw);
  listen("policy", () => { drawFixed(); draw(); });
  draw();
  drawFixed();
  return h(
    "section",
    { class: "box", "aria-labelledby": "levels-title" },
    h("h2", { id: "levels-title" }, "Levels by hand", meaning("level")),
    h("p", { class: "soft" }, "Publish each quasi-identifier on one level of its hierarchy, nothing left out."),
    sliders, problem, result, fixed,
    latticePanel(() => ({ ...levels }), (chosen) => { Object.assign(levels, chosen); draw(); }),
  );
}
