// The frontier: what each threshold keeps with each method; a point can be taken over.

import { button, field, h, say, select, svg } from "./dom.js";
import { number, percent } from "./format.js";
import { meaning } from "./terms.js";
import { change, state, tell } from "./store.js";
import { worker } from "./work.js";

// A circle, a square, a triangle, a diamond, a cross and a triangle on its tip, about the origin.
const MARKS = ["M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0Z", "M-4.5,-4.5h9v9h-9Z", "M0,-6L5.5,4.5H-5.5Z", "M0,-6L6,0L0,6L-6,0Z", "M-2,-6h4v4h4v4h-4v4h-4v-4h-4v-4h4Z", "M0,6L5.5,-4.5H-5.5Z"];

export function frontierPanel() {
  const place = h("div", { class: "outcome", id: "frontier-outcome" });
  const work = worker(place, { done: outcome, label: "Comparing thresholds" });
  work.resume(state.jobs.frontier);
  let sweep = "t";
  const choose = select([["t", "t, closeness"], ["k", "k, class sizes"]], sweep, (key) => { sweep = key; }, { id: "sweep" });
  return h(
    "section",
    { class: "box", "aria-labelledby": "frontier-title" },
    h("h2", { id: "frontier-title" }, "What thresholds cost", meaning("frontier")),
    h("p", { class: "soft" }, "Several releases at several thresholds: how much detail each keeps. Take over the one you can live with."),
    h("div", { class: "toolbar" }, field("Sweep", choose), button("Compare", () => work.start(state.table.id, { kind: "frontier", sweep }), { class: "primary", id: "frontier-start" })),
    place,
  );
}

function outcome(job, { stale }) {
  const { frontier } = job.result;
  say(stale || `${frontier.points.length} releases compared`);
  const thresholds = [...new Map(frontier.points.map((point) => [point.threshold.text, point.threshold])).values()];
  const rows = thresholds.map((threshold) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, `${frontier.sweep} ${frontier.sweep === "k" ? "≥" : "≤"} ${threshold.text}`),
      frontier.methods.map((method) => {
        const point = frontier.points.find((each) => each.method === method && each.threshold.text === threshold.text);
        if (!point?.holds) return h("td", { class: "soft" }, "none");
        return h("td", { class: point.best ? "holds" : "" }, button(`${shownOf(point)}${point.best ? " ✓" : ""}`, () => takeOver(frontier, point), { class: "link", title: `Take over ${method} at ${threshold.text}` }));
      }),
    ),
  );
  return [
    stale ? h("p", { class: "outdated" }, h("strong", {}, stale)) : null,
    chart(frontier, thresholds),
    legend(frontier.methods),
    h("p", { class: "hint" }, "Choose a release in the table to take over its threshold and method."),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Detail kept" }, h("table", { class: "wide" }, h("caption", {}, "Detail kept; ✓ marks the best"), h("thead", {}, h("tr", {}, [h("th", { scope: "col" }, "required"), frontier.methods.map((method) => h("th", { scope: "col" }, method))])), h("tbody", {}, rows))),
  ];
}

const shownOf = (point) => (point.kept === null ? number(point.loss) : percent(point.kept));

function takeOver(frontier, point) {
  change((policy) => {
    policy.policy[frontier.sweep] = point.threshold.text;
    policy.release.method = point.method;
  });
  tell("roles");
  say("Taken over");
  document.getElementById("release-title").scrollIntoView({ block: "start" });
}

// Marks of equal height stand side by side, each method in its own lane, so that none hides another.
function chart(frontier, thresholds) {
  const width = Math.max(290, Math.min(640, document.getElementById("frontier-outcome").clientWidth));
  const [high, left, bottom, top] = [250, 56, 40, 16];
  const room = (width - left - 20) / thresholds.length;
  const lane = Math.min(16, (0.8 * room) / frontier.methods.length);
  const x = (at, method) => left + room * (at + 0.5) + lane * (method - (frontier.methods.length - 1) / 2);
  const middle = (at) => left + room * (at + 0.5);
  const y = (kept) => top + (high - top - bottom) * (1 - kept);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => [svg("line", { class: "tc-grid", x1: left, x2: width - 20, y1: y(share), y2: y(share) }), svg("text", { class: "tc-small tc-soft", x: left - 8, y: y(share) + 4, "text-anchor": "end" }, percent(share))]);
  const bands = thresholds.map((_, at) => at % 2 === 0 && svg("rect", { class: "band", x: left + room * at, y: top, width: room, height: high - top - bottom }));
  const ticks = thresholds.map((threshold, at) => svg("text", { class: "tc-small", x: middle(at), y: high - 22, "text-anchor": "middle" }, threshold.text));
  const lines = frontier.methods.map((method, number_) => {
    const mine = thresholds.map((threshold, at) => [at, frontier.points.find((point) => point.method === method && point.threshold.text === threshold.text)]).filter(([, point]) => point?.holds && point.kept !== null);
    const way = mine.map(([at, point], place) => `${place ? "L" : "M"}${x(at, number_)},${y(point.kept)}`).join("");
    const marks = mine.map(([at, point]) => svg("path", { class: `mark line-${number_}`, transform: `translate(${x(at, number_)} ${y(point.kept)})`, d: MARKS[number_ % MARKS.length] }, svg("title", {}, `${method} at ${point.threshold.text}: ${shownOf(point)}`)));
    return [svg("path", { class: `way line-${number_}`, d: way }), marks];
  });
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Chart" }, svg("svg", { class: "tclose-figure frontier", viewBox: `0 0 ${width} ${high}`, width, height: high, role: "img", "aria-label": "Detail kept by threshold and method; the table below has the numbers." }, svg("rect", { class: "tc-paper", width, height: high }), bands, grid, ticks, lines, svg("text", { class: "tc-small tc-soft", x: (width + left) / 2, y: high - 4, "text-anchor": "middle" }, `${frontier.sweep} ${frontier.sweep === "k" ? "at least" : "at most"}`)));
}

function legend(methods) {
  const sign = (at) => svg("svg", { class: "frontier sign", viewBox: "-8 -8 16 16", width: 16, height: 16, "aria-hidden": "true" }, svg("path", { class: `way line-${at}`, d: "M-8,0H8" }), svg("path", { class: `mark line-${at}`, d: MARKS[at % MARKS.length] }));
  return h("ul", { class: "legend" }, methods.map((method, at) => h("li", {}, sign(at), method)));
}
