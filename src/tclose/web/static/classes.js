// The classes: sorted and searched by the server, drawn only where they are looked at.

import { h, later, redraw, select } from "./dom.js";
import { get } from "./api.js";
import { cell, counted, number, visible } from "./format.js";
import { meaning } from "./terms.js";
import { explanationPanel } from "./explanation.js";
import { listen, state } from "./store.js";

const ROW = 36;
const PAGE = 100;
const MOST_SHOWN = 11;
const TALLEST = 8_000_000;

export function classesPanel(root) {
  const view = { sort: null, descending: true, search: "", of: "", total: 0, matching: 0, columns: [], keys: 0, pages: new Map(), version: 0, job: null, at: 0, selected: null, wanted: null };
  const explanation = explanationPanel();
  const toolbar = h("div", { class: "toolbar" });
  const count = h("p", { class: "soft", role: "status" });
  const head = h("div", { role: "row", class: "grid-row grid-head" });
  const space = h("div", { class: "grid-space" });
  const rows = h("div", { class: "grid-rows", role: "rowgroup" });
  space.append(rows);
  const body = h("div", { class: "grid-body" }, space);
  const inner = h("div", { class: "grid-inner", role: "presentation" }, h("div", { role: "rowgroup" }, head), body);
  const grid = h("div", { class: "grid", role: "grid", "aria-label": "Classes", tabindex: "0" }, inner);
  const empty = h("p", { class: "empty", hidden: true }, "");
  const panel = h("div", { class: "classes" }, h("section", { class: "box" }, h("h2", {}, "Classes", meaning("class")), toolbar, count, empty, grid), explanation.element);

  const height = () => body.clientHeight || 10 * ROW;
  const shown = () => Math.ceil(height() / ROW) + 1;
  const tall = () => Math.min(view.matching * ROW, TALLEST);
  const first = () => {
    if (tall() < TALLEST) return Math.floor(body.scrollTop / ROW);
    const most = Math.max(1, tall() - height());
    return Math.floor((body.scrollTop / most) * Math.max(0, view.matching - Math.floor(height() / ROW)));
  };

  async function page(at) {
    if (view.pages.has(at)) return;
    view.pages.set(at, null);
    const version = view.version;
    const query = new URLSearchParams({ offset: String(at * PAGE), limit: String(PAGE), descending: String(view.descending) });
    if (view.sort) query.set("sort", view.sort);
    if (view.search) query.set("search", view.search);
    if (view.of) query.set("of", view.of);
    try {
      const found = await get(`/jobs/${view.job}/classes?${query}`);
      if (version !== view.version) return;
      view.pages.set(at, found.rows);
      Object.assign(view, { total: found.total, matching: found.matching, columns: found.columns, keys: found.keys });
      draw();
      if (view.wanted !== null && Math.floor(view.wanted / PAGE) === at) choose(view.wanted);
    } catch (problem) {
      if (version === view.version) {
        view.pages.delete(at);
        count.textContent = problem.message;
      }
    }
  }

  function anew() {
    view.version += 1;
    view.pages.clear();
    view.matching = view.total;
    view.wanted = null;
    view.at = 0;
    body.scrollTop = 0;
    if (view.job) page(0);
  }

  // Nothing is measured: what is still on its way is of something else.
  function none() {
    Object.assign(view, { job: null, total: 0, selected: null });
    anew();
    draw();
    explanation.clear();
  }

  function draw() {
    const chosen = columnsShown();
    grid.style.setProperty("--columns", chosen.map((column) => `minmax(0, ${column < view.keys ? 1.6 : 1.3}fr)`).join(" "));
    grid.style.setProperty("--least", `${chosen.length * 8}rem`);
    body.style.height = `${ROW * Math.max(3, Math.min(MOST_SHOWN, view.matching))}px`;
    grid.setAttribute("aria-rowcount", String(view.matching + 1));
    redraw(head, chosen.map(heading));
    head.setAttribute("aria-rowindex", "1");
    space.style.height = `${tall()}px`;
    empty.hidden = view.matching > 0;
    grid.hidden = view.matching === 0;
    empty.textContent = !view.job ? "There are no classes: nothing is measured." : view.search ? "No class holds this text." : "There are no classes.";
    count.textContent = view.search ? `${counted(view.matching, "class", "classes")} of ${view.total.toLocaleString("en")} found` : counted(view.total, "class", "classes");
    drawRows(chosen);
  }

  function drawRows(chosen = columnsShown()) {
    const from = first();
    rows.style.transform = `translateY(${body.scrollTop - (body.scrollTop % ROW || 0)}px)`;
    const made = [];
    for (let at = from; at < Math.min(from + shown(), view.matching); at += 1) made.push(row(at, chosen));
    rows.replaceChildren(...made);
  }

  function row(at, chosen) {
    const place = Math.floor(at / PAGE);
    const data = view.pages.get(place)?.[at % PAGE];
    if (!data) page(place);
    const cells = chosen.map((column) =>
      h("span", { role: "gridcell", class: column < view.keys ? "key" : "num" }, data ? (column < view.keys ? cell(data[column]) : number(data[column])) : "…"),
    );
    return h("div", { role: "row", "aria-rowindex": String(at + 2), "aria-selected": String(Boolean(data) && keyOf(data) === view.selected), class: `grid-row${at === view.at ? " at" : ""}`, "data-at": String(at), on: { click: () => choose(at) } }, cells);
  }

  // The size and t first, then the key, then ℓ: what decides stays in sight where there is little room.
  function columnsShown() {
    const rank = (name, at) => (at < view.keys ? 2 : at === view.keys ? 0 : /\.t_*$/.test(name) ? 1 : /\.l_*$/.test(name) ? 3 : 9);
    const ranked = view.columns.map((name, at) => [rank(name, at), at]).filter(([place]) => place < 9);
    return ranked.sort(([a, first], [b, second]) => a - b || first - second).map(([, at]) => at);
  }

  function heading(column) {
    const name = view.columns[column];
    const sorted = view.sort === name;
    const mark = sorted ? (view.descending ? "↓ " : "↑ ") : "";
    const turn = () => {
      Object.assign(view, { sort: name, descending: sorted ? !view.descending : column >= view.keys });
      anew();
    };
    return h("span", { role: "columnheader", "aria-sort": sorted ? (view.descending ? "descending" : "ascending") : "none" }, h("button", { type: "button", class: "sort", id: `sort-${column}`, tabindex: "-1", on: { click: turn }, title: visible(name) }, mark + titleOf(name, column < view.keys)));
  }

  // Explains the class of a row; one that is still on its way, as soon as it is there.
  function choose(at) {
    view.at = at;
    const data = view.pages.get(Math.floor(at / PAGE))?.[at % PAGE];
    if (data) view.selected = keyOf(data);
    drawRows();
    view.wanted = data ? null : at;
    if (!data) return;
    const key = Object.fromEntries(view.columns.slice(0, view.keys).map((name, column) => [name, data[column]]));
    explanation.show(view.job, view.of || null, key);
  }

  // A class by its key: what is selected is what is explained, wherever it stands.
  const keyOf = (data) => JSON.stringify(data.slice(0, view.keys));

  function reveal(at) {
    view.at = Math.max(0, Math.min(at, view.matching - 1));
    if (tall() < TALLEST) {
      const y = view.at * ROW;
      if (y < body.scrollTop) body.scrollTop = y;
      else if (y + ROW > body.scrollTop + height()) body.scrollTop = y + ROW - height();
    } else body.scrollTop = (view.at / view.matching) * tall();
    drawRows();
  }

  grid.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step) reveal(view.at + step);
    else if (event.key === "Home") reveal(0);
    else if (event.key === "End") reveal(view.matching - 1);
    else if (event.key === "Enter" && event.target === grid) choose(view.at);
    else return;
    event.preventDefault();
  });
  body.addEventListener("scroll", () => requestAnimationFrame(() => drawRows()));

  function tools() {
    const search = h("input", { type: "search", id: "class-search", placeholder: "Search the keys", "aria-label": "Search the keys", value: view.search, on: { input: later(250, () => { view.search = search.value.trim(); anew(); }) } });
    const sorts = view.columns.map((name, at) => [name, `by ${titleOf(name, at < view.keys)}`]);
    const sort = select([["", "by key"], ...sorts], view.sort ?? "", (name) => { Object.assign(view, { sort: name || null, descending: Boolean(name) }); anew(); }, { id: "class-sort", "aria-label": "Sort" });
    const own = Object.keys(state.audit.result?.class_tables ?? {}).filter(Boolean);
    const of = own.length ? select([["", "of the quasi-identifiers"], ...own.map((name) => [name, `of ${visible(name)}`])], view.of, (name) => { view.of = name; view.sort = null; anew(); }, { id: "class-of", "aria-label": "Which classes" }) : null;
    redraw(toolbar, search, sort, of);
  }

  listen("audit", () => {
    const { job, result, busy } = state.audit;
    if (busy || !result) {
      if (!result && !busy) none();
      return;
    }
    if (job === view.job) return;
    const table = result.class_tables[""];
    const attribute = Object.keys(result.audit.attributes)[0];
    const sort = table.columns.find((name) => name.replace(/_+$/, "") === `${attribute}.t`) ?? null;
    Object.assign(view, { job, columns: table.columns, keys: result.audit.roles.quasi.length, total: table.classes, matching: table.classes, of: "" });
    if (!table.columns.includes(view.sort)) Object.assign(view, { sort, descending: true });
    tools();
    if (!explanation.again(job)) view.selected = null;
    anew();
  });
  // The class that is explained is the one that is selected, wherever it was chosen; those like it stand first.
  root.addEventListener("explain", (event) => {
    const { attribute } = event.detail;
    const key = textKey(event.detail.key);
    explanation.show(state.audit.job, attribute, key);
    const own = state.audit.result?.class_tables ?? {};
    const of = attribute in own ? attribute : "";
    const { columns } = own[of];
    const sort = columns.find((name) => name.replace(/_+$/, "") === `${attribute}.t`) ?? view.sort;
    Object.assign(view, { of, columns, sort, descending: true, search: "", keys: Object.keys(key).length, selected: JSON.stringify(Object.values(key)) });
    tools();
    anew();
  });
  queueMicrotask(() => document.getElementById("panel-classes")?.addEventListener("shown", () => view.job && draw()));
  return panel;
}

// A figure of an attribute with the figure in front, which is what must not be cut off.
const titleOf = (name, isKey) => visible(isKey ? name : name.replace(/^(.+)\.([^.]+)$/, "$2 of $1"));
const textKey = (key) => Object.fromEntries(Object.entries(key).map(([name, value]) => [name, value === null ? null : String(value)]));
