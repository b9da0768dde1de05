// The frontier: what each threshold keeps with each method; a point can be taken over.

import { button, field, h, say, select } from "./dom.js";
import { number, percent, sign } from "./format.js";
import { drawn, framed, pickable, titleOf } from "./pictures.js";
import { meaning } from "./terms.js";
import { change, modelOf, state, tell } from "./store.js";
import { worker } from "./work.js";

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
      h("th", { scope: "row" }, `${frontier.sweep} ${sign(modelOf(frontier.sweep))} ${threshold.text}`),
      frontier.methods.map((method) => {
        const point = frontier.points.find((each) => each.method === method && each.threshold.text === threshold.text);
        if (!point?.holds) return h("td", { class: "soft" }, "none");
        return h("td", { class: point.best ? "holds" : "" }, button(`${shownOf(point)}${point.best ? " ✓" : ""}`, () => takeOver(frontier, point), { class: "link", title: `Take over ${method} at ${threshold.text}` }));
      }),
    ),
  );
  return [
    stale ? h("p", { class: "outdated" }, h("strong", {}, stale)) : null,
    framed(chart(job.result), "What thresholds cost"),
    h("p", { class: "hint" }, "Choose a point, or a release in the table, to take over its threshold and method."),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Detail kept" }, h("table", { class: "wide" }, h("caption", {}, "Detail kept; ✓ marks the best"), h("thead", {}, h("tr", {}, [h("th", { scope: "col" }, "required"), frontier.methods.map((method) => h("th", { scope: "col" }, method))])), h("tbody", {}, rows))),
  ];
}

function chart({ frontier, picture }) {
  const pointAt = ({ method, threshold }) => frontier.points.find((point) => point.method === method && point.threshold.text === threshold);
  return pickable(drawn(picture, "frontier"), (part) => `Take over ${titleOf(part)}`, (chosen) => takeOver(frontier, pointAt(chosen)));
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
