// The lattice of levels: what each comes to; a box that is chosen sets the levels.

import { button, h, say } from "./dom.js";
import { drawn, framed, pickable } from "./pictures.js";
import { state } from "./store.js";
import { worker } from "./work.js";

export function latticePanel(levelsNow, take) {
  const place = h("div", { class: "outcome", id: "lattice-outcome" });
  const start = () => work.start(state.table.id, { kind: "lattice", levels: levelsNow() });
  const work = worker(place, { done: (job, { stale }) => outcome(job, stale, chosen), label: "Judging levels" });
  const chosen = (levels) => {
    take(levels);
    start();
  };
  return h("div", {}, h("p", { class: "actions" }, button("Show the lattice around these levels", start, { class: "quiet", id: "lattice-start" })), place);
}

function outcome(job, stale, chosen) {
  const { columns, picture } = job.result;
  say(stale || `${job.result.nodes.length} combinations of levels judged`);
  const levelsOf = ({ levels }) => Object.fromEntries(levels.split(",").map((level, at) => [columns[at], Number(level)]));
  return [
    stale ? h("p", { class: "outdated" }, h("strong", {}, stale)) : null,
    framed(pickable(drawn(picture, "lattice"), null, (data) => chosen(levelsOf(data))), "The lattice of levels"),
    h("p", { class: "hint" }, "Choose a box to set these levels, and to see what lies around them."),
  ];
}
