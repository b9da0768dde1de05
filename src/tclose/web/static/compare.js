// Rows before and after a release, side by side with what changed tinted, and how the columns are spread.

import { button, h, redraw } from "./dom.js";
import { get } from "./api.js";
import { cell, counted, percent, visible } from "./format.js";
import { sure } from "./stale.js";

const PAGE = 25;

export function comparison(job) {
  const body = h("div", { class: "comparison" });
  const view = { rows: [], people: false, changed: false, told: null };
  const load = async (offset) => {
    try {
      const told = await get(`/jobs/${job.id}/rows?offset=${offset}&limit=${PAGE}&people=${view.people}&changed=${view.changed}`);
      if (!offset) Object.assign(view, { told, rows: [] });
      view.told.next = told.next;
      view.rows.push(...told.rows);
      draw();
    } catch (problem) {
      redraw(body, h("p", { class: "problem", role: "alert" }, visible(problem.message)));
    }
  };
  const reveal = async () => {
    if (await sure("Combinations of very few rows show single people. Show them on this page?", "Show them")) {
      view.people = true;
      load(0);
    }
  };
  const whole = h("div", { id: "whole-rows" }, h("p", { class: "actions" }, button("Whole rows, with all columns…", () => showWhole(job, whole), { class: "quiet", id: "compare-whole" })));
  const draw = () => {
    const { told, rows } = view;
    const hidden = told.withheld && !view.people;
    redraw(
      body,
      h("p", { class: "soft" }, `${counted(told.total, "combination", "combinations")} of quasi-identifiers, the most frequent first, and what is published instead.`),
      hidden ? h("p", { class: "soft" }, `${counted(told.withheld, "combination", "combinations")} of fewer than ${told.few} ${told.counts} show single people: what was there before is withheld. `, button("Show them…", reveal, { class: "link", id: "compare-people" })) : null,
      h("div", { class: "tick" }, h("input", { type: "checkbox", id: "compare-changed", checked: view.changed, on: { change: (event) => { view.changed = event.target.checked; load(0); } } }), h("label", { for: "compare-changed" }, "Only what is not published as it is")),
      rows.length || told.next < told.total ? sides(told, rows) : h("p", { class: "soft" }, "Every combination is published as it is."),
      whole,
      told.next < told.total ? h("p", { class: "actions" }, button("Show more", () => load(told.next), { class: "quiet", id: "compare-more" })) : null,
      h("h3", {}, "How the columns are spread"),
      h("div", { class: "spreads" }, Object.entries(told.spread).map(([name, { before, after, evenly }]) => h("section", { "aria-label": visible(name) }, h("h4", {}, visible(name)), h("div", { class: "spread" }, bars("before", before), bars(evenly ? "after, each interval spread evenly" : "after", after))))),
    );
  };
  const toggled = (event) => { if (event.target.open && !view.told) load(0); };
  return h("details", { class: "compare", id: "compare", on: { toggle: toggled } }, h("summary", {}, "Rows before and after"), body);
}

// Each column as it was and, beside it, as it is published, with what changed tinted.
function sides(told, rows) {
  const lines = rows.flatMap(({ size, before, after }) => after.map((cells, at) => h("tr", {}, h("td", {}, at ? "" : size.toLocaleString("en")), told.columns.map((_, place) => pair(before ? cell(before[place]) : null, cells ? cell(cells[place]) : "left out")))));
  return beside(told.columns, lines, "Rows before and after", told.counts);
}

const pair = (was, is) => [h("td", { class: "before was" }, was ?? "withheld"), h("td", { class: was === null || was === is ? "after" : "after changed" }, is)];

// A table with two columns for each: before and after; with counts, one of them first.
function beside(columns, lines, name, counts = "") {
  const head = [
    h("tr", {}, counts ? h("th", { scope: "col", rowspan: "2" }, counts) : null, columns.map((column) => h("th", { scope: "colgroup", colspan: "2", class: "before" }, visible(column)))),
    h("tr", {}, columns.map(() => ["before", "after"].map((side) => h("th", { scope: "col", class: side }, side)))),
  ];
  return h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": name }, h("table", { class: "wide sides" }, h("thead", {}, head), h("tbody", {}, lines)));
}

// Rows drawn at random with all their columns: they are people, so it is asked whether that is meant.
async function showWhole(job, place) {
  if (!(await sure("Whole rows are single people, with everything that the table holds of them. Show some on this page?", "Show them"))) return;
  try {
    const told = await get(`/jobs/${job.id}/rows?whole=true`);
    redraw(place, h("h3", {}, "Whole rows"), h("p", { class: "soft" }, `${counted(told.rows.length, "row")} of ${told.total.toLocaleString("en")}, drawn at random.`), wholeTable(told));
  } catch (problem) {
    redraw(place, h("p", { class: "problem", role: "alert" }, visible(problem.message)));
  }
}

function wholeTable({ columns, published, disguised, rows }) {
  const is = (name, after) => (!after ? "left out" : !published.includes(name) ? "not published" : disguised.includes(name) ? "replaced" : cell(after[published.indexOf(name)]));
  return beside(columns, rows.map(({ before, after }) => h("tr", {}, columns.map((name, at) => pair(cell(before[at]), is(name, after))))), "Whole rows before and after");
}

function bars(title, items) {
  const most = Math.max(...items.map((item) => item.size), 1);
  const whole = items.reduce((sum, item) => sum + item.size, 0) || 1;
  const row = ({ label, size, values }) => h("li", { title: `${size.toLocaleString("en")}` }, h("span", { class: "bar-name" }, values > 1 && label === "others" ? counted(values, "other", "others") : cell(label)), h("span", { class: "track", "aria-hidden": "true" }, h("span", { "width%": (100 * size) / most })), h("span", { class: "bar-value" }, percent(size / whole)));
  return h("div", {}, h("p", { class: "hint" }, title), h("ul", { class: "bars small" }, items.map(row)));
}
