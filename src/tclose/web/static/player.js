// Plays the moves of an explanation, one by one, with the fractions beside each: into the holes, or from value to value.

import { button, field, h, redraw, say, select } from "./dom.js";
import { save } from "./api.js";
import { both, number, shown } from "./format.js";
import { playing } from "./earth.js";
import { drawn } from "./pictures.js";
import { sure } from "./stale.js";

const SECONDS = 2;
const WAYS = [["moved", "into the holes"], ["carried", "from value to value"]];
const chosen = { way: "moved" };

export function player(told) {
  const element = h("div", { class: "player" });
  const ways = WAYS.filter(([way]) => told.pictures[way]);
  let current = null;

  function show() {
    current?.stop();
    const way = told.pictures[chosen.way] ? chosen.way : "moved";
    const steps = way === "carried" ? told.carried : told.steps;
    const inside = way === "carried" ? told.within_carried : told.within_groups;
    const picture = drawn(told.pictures[way], "earth");
    const caption = h("p", { class: "caption", id: "move-caption" });
    const rows = steps.map((step, place) => row(told, step, place, () => current.go(place + 1)));
    const moved = (at, on) => {
      caption.textContent = words(told, steps, inside, at);
      element.dataset.at = String(at);
      element.dataset.done = String(at === steps.length);
      rows.forEach((each, place) => each.classList.toggle("current", place === at - 1));
      if (!on && at) say(caption.textContent);
    };
    current = playing(picture, steps.length, { seconds: SECONDS, moved });
    const choice = ways.length > 1 ? field("How the earth goes", select(ways, way, (key) => { chosen.way = key; show(); }, { id: "move-way" })) : null;
    redraw(
      element,
      choice ? h("div", { class: "toolbar" }, choice) : null,
      h("div", { class: "scroll earth-scroll", tabindex: "0", role: "region", "aria-label": "Figure" }, picture),
      told.note ? h("p", { class: "hint" }, told.note) : null,
      current.element,
      caption,
      h("details", { open: steps.length <= 12 }, h("summary", {}, `The moves, ${number(steps.length)} in all`), h("div", { class: "scroll moves", tabindex: "0", role: "region", "aria-label": "The moves" }, h("table", { class: "wide" }, h("thead", {}, h("tr", {}, ["move", "from → to", "mass", "distance", "cost", "so far"].map((title) => h("th", { scope: "col" }, title)))), h("tbody", {}, rows)))),
      h("p", { class: "actions" }, saving("Save as SVG", told, "still", "moves.svg"), saving("Save as a moving SVG", told, way, `${way}.svg`)),
    );
  }

  show();
  return { element, stop: () => current.stop() };
}

function row({ columns }, step, place, go) {
  const cells = [`${shown(columns[step.from].label)} → ${shown(columns[step.to].label)}`, both(step.mass), step.distance ? both(step.distance) : "several", both(step.cost), both(step.spent)];
  return h("tr", { "data-move": place + 1, on: { click: go } }, h("th", { scope: "row" }, button(step.name || String(place + 1), go, { class: "link" })), cells.map((text) => h("td", {}, text)));
}

function words(told, steps, inside, at) {
  const { columns } = told;
  const whole = told.total === told.size ? "the reference" : "the whole table";
  if (at === 0) return `Before the first of ${steps.length === 1 ? "1 move" : `${number(steps.length)} moves`}: the bars are the class, the dashed outlines are ${whole}.`;
  const step = steps[at - 1];
  const sum = step.distance ? `: ${both(step.mass)} × ${both(step.distance)} = ${both(step.cost)}` : ` costs ${both(step.cost)}`;
  const what = `${step.name ? `${step.name}, ` : ""}${both(step.mass)} from ${shown(columns[step.from].label)} to ${shown(columns[step.to].label)}${sum}; so far ${both(step.spent)}.`;
  if (at < steps.length) return what;
  const rest = inside.value ? ` Moves inside the groups cost ${both(inside)}.` : "";
  return `${what}${rest} Every column is now as in ${whole}: t = ${both(told.distance)}.`;
}

// A class of very few is asked about before its picture leaves the page.
function saving(text, told, way, name) {
  const take = async () => {
    if (!told.confidential || (await sure("This class is so small that its picture shows single people. It is confidential, and says so.", "Save it"))) save(told.pictures[way].text, "image/svg+xml", name);
  };
  return button(text, take, { class: "quiet", "data-picture": way });
}
