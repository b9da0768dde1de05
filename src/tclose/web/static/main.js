// Where the page begins: the header, the start, and the workbench.

import { button, h, redraw } from "./dom.js";
import { bringsToken, get, hasToken } from "./api.js";
import { counted, titleOf, visible } from "./format.js";
import { askReading } from "./reading.js";
import { startView } from "./start.js";
import { comeBack, forgetListeners, open, state } from "./store.js";
import { isView, workbench } from "./workbench.js";

const top = document.getElementById("top");
const main = document.getElementById("main");
let bench = null;

function header() {
  const facts = bench
    ? [
        h("span", { class: "table-name", title: visible(state.table.label) }, visible(state.table.label.split(/[/\\]/).at(-1))),
        h("span", { class: "soft facts" }, `${counted(state.profile.rows, "row")}, ${counted(Object.keys(state.profile.columns).length, "column")}`),
        state.table.text ? button("How it is read…", () => askReading(state.table, () => showTable(viewOf() || "figures")), { class: "quiet", id: "reading" }) : null,
        button("Open another", () => { go(""); showStart(); }, { class: "quiet" }),
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

const viewOf = () => (isView(location.hash.slice(1)) ? location.hash.slice(1) : "");

// Where the page is stands behind the #, so that back, forward and reload lead where a person expects.
function go(view, { replace = false } = {}) {
  const address = `${location.pathname}${view ? `#${view}` : ""}`;
  if (replace) history.replaceState(null, "", address);
  else if (view !== viewOf()) history.pushState(null, "", address);
}

function showStart() {
  forgetListeners();
  bench = null;
  document.title = "tclose";
  header();
  redraw(main, startView(() => { go("figures"); showTable("figures"); }));
  arrive();
}

function showTable(view) {
  forgetListeners();
  bench = workbench({ view, moved: go });
  document.title = `${visible(state.table.label)} – tclose`;
  header();
  redraw(main, bench.element);
  arrive();
}

// The address of a server that was started again, in the tab of the one before: the browser itself loads nothing anew.
addEventListener("hashchange", () => { if (bringsToken()) location.reload(); });

addEventListener("popstate", () => {
  if (location.hash && !viewOf()) return;
  if (!viewOf() || !state.table) showStart();
  else if (bench) bench.show(viewOf());
  else showTable(viewOf());
});

// A file that is dropped beside the place for it does not take the page away.
for (const type of ["dragover", "drop"]) {
  addEventListener(type, (event) => {
    if (event.defaultPrevented || !event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "none";
  });
}

function progress(job) {
  const place = main.querySelector(".empty");
  if (place) place.textContent = job.stage ? `${job.stage}…` : "Opening…";
}

async function begin() {
  if (!hasToken) {
    broken("This page needs its token", "Open the address that 'tclose serve' printed, with everything after the #.");
    return;
  }
  try {
    const [words, back] = await Promise.all([get(""), comeBack()]);
    state.words = words;
    if (!back && words.named && !words.named.database) await open({ named: true }, { told: progress });
    const view = viewOf() || (back ? "" : "figures");
    if (state.table && view) {
      go(view, { replace: true });
      showTable(view);
    } else {
      go("", { replace: true });
      showStart();
    }
  } catch (problem) {
    broken(titleOf(problem, "The table cannot be opened"), problem.message);
    if (state.words) main.append(h("p", { class: "start" }, button("Choose another table", () => { go("", { replace: true }); showStart(); }, { class: "primary" })));
  }
}

header();
begin();
