// What a release is still good for: its columns, how they go together, and what a simple model learns from it.

import { h, redraw } from "./dom.js";
import { get } from "./api.js";
import { number, percent, readable, visible } from "./format.js";
import { drawn, framed } from "./pictures.js";

const NAMES = ["How columns go together", "What a simple model learns"];

export function usefulness(job) {
  const body = h("div", { class: "outcome" });
  let asked = false;
  const load = async () => {
    asked = true;
    redraw(body, h("p", { class: "soft" }, "Measuring…"));
    try {
      draw(await get(`/jobs/${job.id}/usefulness`));
    } catch (problem) {
      asked = false;
      redraw(body, h("p", { class: "problem", role: "alert" }, visible(problem.message)));
    }
  };
  const draw = ({ usefulness: found, sentences, remarks, pictures }) => redraw(
    body,
    found ? columns(found.columns) : null,
    (pictures ?? []).map((picture, at) => framed(drawn(picture, "useful"), NAMES[at])),
    sentences.map((sentence) => h("p", {}, readable(sentence))),
    (remarks ?? []).map((line) => h("p", { class: "hint" }, visible(line))),
  );
  return h("details", { id: "useful", on: { toggle: (event) => { if (event.target.open && !asked) load(); } } }, h("summary", {}, "What it is still good for"), body);
}

function columns(found) {
  const row = ([name, { lost, moved }]) => h("tr", {}, h("th", { scope: "row" }, visible(name)), h("td", {}, lost === null ? "as it is" : percent(lost)), h("td", {}, number(moved)));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Columns of the release" }, h("table", { class: "wide" }, h("caption", {}, "Columns of the release"), h("thead", {}, h("tr", {}, ["column", "detail lost", "distribution off by"].map((title) => h("th", { scope: "col" }, title)))), h("tbody", {}, Object.entries(found).map(row))));
}
