// What costs the detail of a release: by column, by requirement, and one change that keeps more.

import { button, h, say, tabled } from "./dom.js";
import { percent, visible } from "./format.js";
import { state } from "./store.js";
import { worker } from "./work.js";

export function whyPanel() {
  const place = h("div", { class: "outcome", id: "why-outcome" });
  const work = worker(place, { done: outcome, label: "Finding what costs detail" });
  const start = () => work.start(state.table.id, { kind: "why" });
  return h(
    "section",
    { "aria-labelledby": "why-title" },
    h("h3", { id: "why-title" }, "What costs the detail"),
    h("p", { class: "hint" }, "Makes releases without each column and each requirement, and says what would keep more. For the owner of the original: it is in no report."),
    h("p", { class: "actions" }, button("Find out", start, { class: "quiet", id: "why-start" })),
    place,
  );
}

const shareOf = (share) => (share === null ? "no release found" : percent(share));

function outcome(job, { stale }) {
  const { why, sentence, legend } = job.result;
  say(stale || sentence);
  return [
    stale ? h("p", { class: "outdated" }, h("strong", {}, stale)) : null,
    h("p", {}, h("strong", {}, visible(sentence))),
    why.columns.length ? tabled("By column: what it keeps, and what the others keep with it and without it", ["column", "keeps", "others keep", "others without it"], why.columns.map(column)) : null,
    tabled("By requirement: what is kept without it and with a looser one, and the most classes of any release", ["required", "binds", "without it", "looser", "with that", "classes"], why.requirements.map(requirement)),
    h("p", { class: "hint" }, visible(legend)),
  ];
}

const row = (name, cells) => h("tr", {}, h("th", { scope: "row" }, visible(name)), cells.map((each) => h("td", {}, visible(each))));
const column = (each) => row(each.column, [percent(each.kept), shareOf(each.others), shareOf(each.others_without)]);
const requirement = (each) => row(each.requirement, [each.binds ? "yes" : "no", percent(each.kept_without), each.looser?.requirement ?? "", each.looser ? shareOf(each.kept_looser) : "", each.most_classes === null ? "" : String(each.most_classes)]);
