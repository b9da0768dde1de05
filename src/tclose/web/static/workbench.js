// The workbench: what was said of the table on one side, what follows from it on the other.

import { h, say } from "./dom.js";
import { columnsPanel } from "./columns.js";
import { requirementsPanel } from "./requirements.js";
import { figuresPanel } from "./figures.js";
import { classesPanel } from "./classes.js";
import { repairPanel } from "./repair.js";
import { historyBar } from "./history.js";
import { pathBar } from "./path.js";
import { listen, look, measure, state } from "./store.js";

const TABS = [
  ["columns", "Columns"],
  ["figures", "Figures"],
  ["classes", "Classes"],
  ["repair", "Repair"],
];

export const isView = (key) => TABS.some(([known]) => known === key);

export function workbench({ view, moved }) {
  const root = h("div", { class: "workbench", "data-view": view });
  const tabs = TABS.map(([key, text], at) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${key}`,
        class: `tab tab-${key}`,
        "aria-controls": `panel-${key}`,
        "aria-selected": String(key === view),
        tabindex: key === view ? "0" : "-1",
        on: { click: () => turn(key), keydown: (event) => step(event, at) },
      },
      text,
    ),
  );

  function show(key) {
    root.dataset.view = key;
    for (const tab of tabs) {
      const chosen = tab.id === `tab-${key}`;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    document.getElementById(`panel-${key}`).dispatchEvent(new Event("shown"));
  }

  function turn(key) {
    moved(key);
    show(key);
  }

  function step(event, at) {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    let next = at;
    do next = (next + way + tabs.length) % tabs.length;
    while (getComputedStyle(tabs[next]).display === "none");
    turn(TABS[next][0]);
    tabs[next].focus();
  }

  const panel = (key, ...content) =>
    h("section", { id: `panel-${key}`, class: `panel panel-${key}`, role: "tabpanel", "aria-labelledby": `tab-${key}` }, content);
  const explain = (attribute, key) => {
    turn("classes");
    root.dispatchEvent(new CustomEvent("explain", { detail: { attribute, key } }));
  };
  const setup = h("div", { class: "setup" }, columnsPanel(), requirementsPanel());
  root.append(
    h("div", { class: "head" }, pathBar(turn), historyBar()),
    h("div", { class: "tabs", role: "tablist", "aria-label": "Parts of the page" }, tabs),
    panel("columns", setup),
    panel("figures", figuresPanel(explain)),
    panel("classes", classesPanel(root)),
    panel("repair", repairPanel(root)),
  );
  listen("audit", () => {
    const { busy, result, error } = state.audit;
    root.dataset.stale = String(state.audit.stale || busy);
    say(error ? error.message : busy ? "Measuring" : result?.verdict ?? "");
  });
  measure();
  look().catch(() => null);
  return { element: root, show };
}
