// Plays the moves of an explanation, one by one: play, pause, step, back, and the fractions beside each.

import { button, h, say } from "./dom.js";
import { both, number, shown } from "./format.js";
import { earthFigure } from "./earth.js";

const SECONDS_A_MOVE = 0.9;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export function player(told) {
  const { steps, columns } = told;
  const figure = earthFigure(told);
  let at = 0;
  let playing = false;
  let frame = 0;

  const caption = h("p", { class: "caption", id: "move-caption" });
  const slider = h("input", { type: "range", id: "move-slider", min: 0, max: steps.length, step: 1, value: 0, "aria-label": "Moves done", on: { input: () => go(Number(slider.value)) } });
  const play = button("▶ Play", () => (playing ? pause() : start()), { class: "primary", id: "move-play" });
  const back = button("◀ Back", () => go(at - 1), { id: "move-back" });
  const next = button("Step ▶", () => forward(), { id: "move-step" });
  const rows = steps.map((step, place) =>
    h(
      "tr",
      { "data-move": place + 1, on: { click: () => go(place + 1) } },
      h("th", { scope: "row" }, button(step.name || String(place + 1), () => go(place + 1), { class: "link" })),
      h("td", {}, `${shown(columns[step.from].label)} → ${shown(columns[step.to].label)}`),
      h("td", {}, both(step.mass)),
      h("td", {}, both(step.cost)),
      h("td", {}, both(step.spent)),
    ),
  );

  function words(at) {
    if (at === 0) return `Before the first of ${steps.length === 1 ? "1 move" : `${number(steps.length)} moves`}: the columns are the class, the dashed outlines are ${told.total === told.size ? "the reference" : "the whole table"}.`;
    const step = steps[at - 1];
    const what = `${step.name ? `${step.name}: ` : ""}${both(step.mass)} from ${shown(columns[step.from].label)} to ${shown(columns[step.to].label)} costs ${both(step.cost)}; so far ${both(step.spent)}.`;
    if (at < steps.length) return what;
    const inside = told.within_groups.value ? ` Moves inside the groups cost ${both(told.within_groups)}.` : "";
    return `${what}${inside} Every column is now as in the whole table: t = ${both(told.distance)}.`;
  }

  function show() {
    figure.rest(at);
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `${at} of ${steps.length} moves`);
    caption.textContent = words(at);
    back.disabled = at === 0;
    next.disabled = at === steps.length;
    element.dataset.at = String(at);
    element.dataset.done = String(at === steps.length);
    rows.forEach((row, place) => row.classList.toggle("current", place === at - 1));
    play.textContent = playing ? "❚❚ Pause" : at === steps.length && at > 0 ? "↺ Again" : "▶ Play";
  }

  function go(place) {
    stop();
    at = Math.max(0, Math.min(place, steps.length));
    show();
    say(caption.textContent);
  }

  function stop() {
    playing = false;
    cancelAnimationFrame(frame);
  }

  function pause() {
    stop();
    show();
  }

  // Moves one block and calls `then` when it lies; without motion where people asked for none.
  function forward(then) {
    if (at >= steps.length) return;
    const wasPlaying = playing;
    stop();
    playing = wasPlaying;
    const landed = () => {
      at += 1;
      show();
      then?.();
    };
    if (calm.matches) {
      landed();
      return;
    }
    caption.textContent = words(at + 1);
    const began = performance.now();
    const tick = (now) => {
      const part = Math.min(1, (now - began) / (1000 * SECONDS_A_MOVE));
      if (part >= 1) landed();
      else {
        figure.between(at, part * part * (3 - 2 * part));
        frame = requestAnimationFrame(tick);
      }
    };
    frame = requestAnimationFrame(tick);
  }

  function start() {
    if (at === steps.length) at = 0;
    playing = true;
    show();
    const on = () => {
      if (playing && at < steps.length) forward(calm.matches ? () => setTimeout(on, 600) : on);
      else pause();
    };
    on();
  }

  const element = h(
    "div",
    { class: "player" },
    figure.element,
    told.note ? h("p", { class: "hint" }, told.note) : null,
    h("div", { class: "controls", role: "group", "aria-label": "Moves" }, back, play, next, slider),
    caption,
    h("details", { open: steps.length <= 12 }, h("summary", {}, `The moves, ${number(steps.length)} in all`), h("div", { class: "scroll moves", tabindex: "0", role: "region", "aria-label": "The moves" }, h("table", { class: "wide" }, h("thead", {}, h("tr", {}, ["move", "from → to", "mass", "cost", "so far"].map((title) => h("th", { scope: "col" }, title)))), h("tbody", {}, rows)))),
  );
  show();
  return { element, stop };
}
