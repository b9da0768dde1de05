// The frontier: what each threshold keeps with each method; a point can be taken over.

import { button, field, h, say, select, svg } from "./dom.js";
import { figure, number, percent } from "./format.js";
import { change, state, tell } from "./store.js";
import { worker } from "./work.js";

const SIGNS = ["●", "■", "▲", "◆", "★", "✚"];

export function frontierPanel() {
  const place = h("div", { class: "outcome", id: "frontier-outcome" });
  const start = worker(place, { done: outcome, label: "Comparing thresholds" });
  let sweep = "t";
  const choose = select([["t", "t, closeness"], ["k", "k, class sizes"]], sweep, (key) => { sweep = key; }, { id: "sweep" });
  return h(
    "section",
    { class: "box", "aria-labelledby": "frontier-title" },
    h("h2", { id: "frontier-title" }, "What thresholds cost"),
    h("p", { class: "soft" }, "Several releases at several thresholds: how much detail each keeps. Take over the one you can live with."),
    h("div", { class: "toolbar" }, field("Sweep", choose), button("Compare", () => start(state.table.id, { kind: "frontier", policy: state.policy, sweep }), { class: "primary", id: "frontier-start" })),
    place,
  );
}

function outcome(job) {
  const { frontier } = job.result;
  say(`${frontier.points.length} releases compared`);
  const thresholds = [...new Map(frontier.points.map((point) => [point.threshold.value, point.threshold])).values()];
  const rows = thresholds.map((threshold) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, `${frontier.sweep} ${frontier.sweep === "k" ? "≥" : "≤"} ${figure(threshold)}`),
      frontier.methods.map((method) => {
        const point = frontier.points.find((each) => each.method === method && each.threshold.value === threshold.value);
        if (!point?.holds) return h("td", { class: "soft" }, "none");
        return h("td", { class: point.best ? "holds" : "" }, button(`${shownOf(point)}${point.best ? " ✓" : ""}`, () => takeOver(frontier, point), { class: "link", title: `Take over ${method} at ${figure(threshold)}` }));
      }),
    ),
  );
  return [
    chart(frontier, thresholds),
    h("p", { class: "legend soft" }, frontier.methods.map((method, at) => h("span", {}, `${SIGNS[at % SIGNS.length]} ${method}  `))),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Detail kept" }, h("table", { class: "wide" }, h("caption", {}, "Detail kept; ✓ marks the best. Choose one to take over its threshold and method."), h("thead", {}, h("tr", {}, [h("th", { scope: "col" }, "required"), frontier.methods.map((method) => h("th", { scope: "col" }, method))])), h("tbody", {}, rows))),
  ];
}

const shownOf = (point) => (point.kept === null ? number(point.loss) : percent(point.kept));

function takeOver(frontier, point) {
  change((policy) => {
    policy.policy[frontier.sweep] = point.threshold.exact ?? String(point.threshold.value);
    policy.release.method = point.method;
  });
  tell("roles");
  say("Taken over");
  document.getElementById("release-title").scrollIntoView({ block: "start" });
}

function chart(frontier, thresholds) {
  const [width, high, left, bottom, top] = [640, 250, 56, 40, 16];
  const x = (at) => left + ((width - left - 20) * (at + 0.5)) / thresholds.length;
  const y = (kept) => top + (high - top - bottom) * (1 - kept);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => [svg("line", { class: "tc-grid", x1: left, x2: width - 20, y1: y(share), y2: y(share) }), svg("text", { class: "tc-small tc-soft", x: left - 8, y: y(share) + 4, "text-anchor": "end" }, percent(share))]);
  const ticks = thresholds.map((threshold, at) => svg("text", { class: "tc-small", x: x(at), y: high - 18, "text-anchor": "middle" }, figure(threshold)));
  const lines = frontier.methods.map((method, number_) => {
    const mine = thresholds.map((threshold, at) => [at, frontier.points.find((point) => point.method === method && point.threshold.value === threshold.value)]).filter(([, point]) => point?.holds && point.kept !== null);
    const way = mine.map(([at, point], place) => `${place ? "L" : "M"}${x(at)},${y(point.kept)}`).join("");
    const marks = mine.map(([at, point]) => svg("text", { class: `line-${number_}`, x: x(at), y: y(point.kept) + 5, "text-anchor": "middle" }, svg("title", {}, `${method} at ${figure(point.threshold)}: ${shownOf(point)}`), SIGNS[number_ % SIGNS.length]));
    return [svg("path", { class: `way line-${number_}`, d: way, fill: "none" }), marks];
  });
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Chart" }, svg("svg", { class: "tclose-figure frontier", viewBox: `0 0 ${width} ${high}`, width, height: high, role: "img", "aria-label": "Detail kept by threshold and method; the table below has the numbers." }, svg("rect", { class: "tc-paper", width, height: high }), grid, ticks, lines, svg("text", { class: "tc-small tc-soft", x: (width + left) / 2, y: high - 3, "text-anchor": "middle" }, frontier.sweep)));
}
