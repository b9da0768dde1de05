// Attackers: what someone learns who knows the method, beside what the same claims get right of strangers.

import { button, h, say } from "./dom.js";
import { readable, visible, withHint } from "./format.js";
import { drawn, framed } from "./pictures.js";
import { state } from "./store.js";
import { worker } from "./work.js";

export function attackPanel() {
  const place = h("div", { class: "outcome", id: "attack-outcome" });
  const work = worker(place, { done: outcome, label: "Trying attackers" });
  work.resume(state.jobs.attack);
  return h(
    "section",
    { class: "box", "aria-labelledby": "attack-title" },
    h("h2", { id: "attack-title" }, "What attackers learn"),
    h("p", { class: "soft" }, "The table is divided at random, one half is released as set above, and attackers are tried on it; people of the other half are the control."),
    h("p", { class: "actions" }, button("Try attackers", () => work.start(state.table.id, { kind: "attack" }), { class: "primary", id: "attack-start" })),
    place,
  );
}

function outcome(job, { stale }) {
  const { holds, title, sentences, legend, notes, tables, picture } = job.result;
  say(stale || title);
  const kind = stale ? "stale" : { true: "holds", false: "fails" }[holds] ?? "";
  return [
    stale ? h("p", { class: "outdated" }, h("strong", {}, stale)) : null,
    h("div", { class: `verdict ${kind}` }, h("h3", { class: kind }, visible(title)), sentences.map((sentence) => h("p", {}, readable(sentence)))),
    framed(drawn(picture, "attack"), "What attackers learn"),
    tables.map(listed),
    h("p", { class: "hint" }, visible(legend)),
    notes.length ? h("ul", { class: "notes" }, notes.map((note) => h("li", {}, withHint(note)))) : null,
    h("p", { class: "hint" }, "The report of a release with the same settings tells of it."),
  ];
}

const listed = ({ caption, titles, rows }) =>
  h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": visible(caption) },
    h("table", { class: "wide" }, h("caption", {}, visible(caption)), h("thead", {}, h("tr", {}, titles.map((title) => h("th", { scope: "col" }, visible(title))))), h("tbody", {}, rows.map((row) => h("tr", {}, row.map(({ text, about }, at) => h(at ? "td" : "th", { scope: at ? null : "row", title: about || null }, visible(text))))))),
  );
