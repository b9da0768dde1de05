// Where the page begins: the header, the start, and the workbench.

import { button, h, redraw } from "./dom.js";
import { get, hasToken } from "./api.js";
import { counted, visible } from "./format.js";
import { startView } from "./start.js";
import { forgetListeners, open, state } from "./store.js";
import { workbench } from "./workbench.js";

const top = document.getElementById("top");
const main = document.getElementById("main");

function header() {
  const facts = state.table
    ? [
        h("span", { class: "table-name", title: visible(state.table.label) }, visible(state.table.label.split(/[/\\]/).at(-1))),
        h("span", { class: "soft facts" }, `${counted(state.profile.rows, "row")}, ${counted(Object.keys(state.profile.columns).length, "column")}`),
        button("Open another", showStart, { class: "quiet" }),
      ]
    : [h("span", { class: "soft facts" }, "on this machine only")];
  redraw(top, h("span", { class: "brand" }, h("span", { class: "mark", "aria-hidden": "true" }), "tclose"), ...facts);
}

function broken(title, text) {
  redraw(main, h("section", { class: "start" }, h("h1", {}, title), h("p", { role: "alert" }, text)));
}

function arrive() {
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function showStart() {
  forgetListeners();
  state.table = null;
  document.title = "tclose";
  header();
  redraw(main, startView(opened));
  arrive();
}

function opened() {
  forgetListeners();
  document.title = `${visible(state.table.label)} – tclose`;
  header();
  redraw(main, workbench());
  arrive();
}

async function begin() {
  if (!hasToken) {
    broken("This page needs its token", "Open the address that 'tclose serve' printed, with everything after the #.");
    return;
  }
  try {
    state.words = await get("");
    if (state.words.named) {
      await open({ named: true });
      opened();
    } else showStart();
  } catch (problem) {
    broken("The table cannot be opened", problem.message);
    if (state.words) main.append(h("p", { class: "start" }, button("Choose another table", showStart, { class: "primary" })));
  }
}

header();
begin();
