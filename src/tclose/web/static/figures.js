// The verdict and the figures, as the last audit found them; marked as stale while a new one runs.

import { button, h, redraw } from "./dom.js";
import { both, counted, figure, fraction, keyText, visible } from "./format.js";
import { take } from "./api.js";
import { listen, quasi, sensitive, state } from "./store.js";

export function figuresPanel(explain) {
  const body = h("div", { class: "figures" });
  const draw = () => redraw(body, content(explain));
  listen("audit", draw);
  listen("progress", () => {
    const place = document.getElementById("stage");
    if (place) place.textContent = state.audit.stage || "Measuring…";
  });
  draw();
  return body;
}

function content(explain) {
  const { busy, stale, error, result, stage } = state.audit;
  const status = h("p", { class: "status", id: "stage", "aria-hidden": String(!busy) }, busy ? stage || "Measuring…" : stale ? "Waiting…" : "");
  if (error) return [status, h("section", { class: "verdict fails" }, h("h2", {}, error.kind === "Unreachable" ? "The server is gone" : "This cannot be measured"), h("p", { role: "alert" }, visible(error.message)))];
  if (!result) return busy ? [status, waiting()] : [status, missing()];
  const { audit } = result;
  return [
    status,
    verdict(result),
    h("ul", { class: "cards" }, card("k", "rows in the smallest class", audit.k), Object.entries(audit.attributes).map(([name, attribute]) => attributeCard(name, attribute, explain))),
    required(audit, explain),
    Object.entries(audit.attributes).map(([name, attribute]) => drivers(name, attribute, result.attributes[name])),
    everything(audit),
    notes(audit),
    h("p", { class: "actions" }, button("Save the report", () => take(state.audit.job, "audit.html"), { class: "quiet" }), button("Save as JSON", () => take(state.audit.job, "audit.json"), { class: "quiet" })),
  ];
}

function waiting() {
  return h("div", { class: "skeleton", "aria-hidden": "true" }, h("div", { class: "ghost tall" }), h("div", { class: "cards" }, h("div", { class: "ghost" }), h("div", { class: "ghost" }), h("div", { class: "ghost" })));
}

function missing() {
  const lacking = [!quasi().length && "a quasi-identifier: what others may know of a person", !sensitive().length && "a sensitive column: what is to be protected"].filter(Boolean);
  return h("section", { class: "empty" }, h("h2", {}, "Nothing to measure yet"), h("p", {}, `Among the columns, mark ${lacking.join(", and ")}.`));
}

function verdict({ audit, verdict: sentence, table }) {
  const kind = audit.holds === null ? "" : audit.holds ? "holds" : "fails";
  const mark = audit.holds === null ? "" : audit.holds ? "✓ " : "✗ ";
  return h("section", { class: `verdict ${kind}` }, h("h2", { class: kind }, h("span", { "aria-hidden": "true" }, mark), sentence), h("p", { class: "soft" }, table));
}

function card(title, meaning, found) {
  return h("li", { class: "card figure-card" }, h("span", { class: "name" }, title), h("span", { class: "value", "data-figure": title }, figure(found)), h("span", { class: "exact" }, fraction(found)), h("span", { class: "soft" }, meaning));
}

function attributeCard(name, attribute, explain) {
  return h(
    "li",
    { class: "card figure-card", "data-attribute": name },
    h("span", { class: "name" }, `t of ${visible(name)}`),
    h("span", { class: "value", "data-figure": `t-${name}` }, figure(attribute.t)),
    h("span", { class: "exact" }, fraction(attribute.t)),
    h("span", { class: "soft" }, `${attribute.distance}; ℓ ${figure(attribute.l)}, largest possible t ${figure(attribute.largest_t)}`),
    attribute.t?.worst ? button("Watch the worst class", () => explain(name, attribute.t.worst.key), { class: "link" }) : null,
  );
}

// Words that may stand below each other where there is little room.
const pieces = (...texts) => texts.filter(Boolean).flatMap((text) => [h("span", {}, text), " "]);

function required(audit, explain) {
  if (!audit.requirements.length) return null;
  const row = (each) =>
    h(
      "tr",
      {},
      h("td", { class: each.holds ? "holds" : "fails" }, each.holds ? "✓ holds" : "✗ fails"),
      h("th", { scope: "row" }, each.text),
      h("td", {}, each.attribute === null ? "the table" : visible(each.attribute)),
      h("td", { class: "parts" }, pieces(figure(each.found), fraction(each.found) && `(${fraction(each.found)})`)),
      h("td", { class: "parts" }, each.holds ? (each.vacuous ? "none, ever" : "none") : each.failing.classes ? pieces(`${counted(each.failing.classes, "class", "classes")},`, counted(each.failing.rows, "row")) : "the table"),
      h("td", { class: "long" }, each.worst && each.attribute !== null ? button(keyText(each.worst.key), () => explain(each.attribute, each.worst.key), { class: "link" }) : keyText(each.worst?.key)),
    );
  const titles = ["verdict", "required", "of", "found", "failing", "worst class"];
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What was required" }, h("table", { class: "wide" }, h("caption", {}, "What was required"), h("thead", {}, h("tr", {}, titles.map((title) => h("th", { scope: "col" }, title)))), h("tbody", {}, audit.requirements.map(row))));
}

function drivers(name, attribute, told) {
  if (!attribute.drivers) return null;
  const ranked = Object.entries(attribute.drivers).sort(([, a], [, b]) => a.value - b.value);
  const most = attribute.largest_t.value || 1;
  const bar = (label, found, extra) =>
    h(
      "li",
      { class: extra },
      h("span", { class: "bar-name" }, label),
      h("span", { class: "track", "aria-hidden": "true" }, h("span", { "width%": (100 * found.value) / most })),
      h("span", { class: "bar-value" }, both(found)),
    );
  return h(
    "section",
    { class: "drivers", "aria-label": `What drives the disclosure of ${visible(name)}` },
    h("h3", {}, `What drives the disclosure of ${visible(name)}`),
    h("p", { class: "soft" }, told.driver === null ? "No single quasi-identifier does: leaving one out does not lower t." : `Without ${visible(told.driver)}, t would be lowest.`),
    h("ul", { class: "bars" }, bar("as it is", attribute.t, "as-is"), ranked.map(([column, found]) => bar(`without ${visible(column)}`, found, column === told.driver ? "most" : ""))),
  );
}

function everything(audit) {
  const known = new Map(state.words.models.map((model) => [model.key, model]));
  const rows = (figures, of) => Object.entries(figures).filter(([key, found]) => known.has(key.split("(")[0]) && found && typeof found === "object").map(([key, found]) => h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, of), h("td", {}, both(found)), h("td", { class: "soft long" }, known.get(key.split("(")[0]).meaning)));
  const all = [rows(audit, "the table"), Object.entries(audit.attributes).map(([name, attribute]) => rows(attribute, visible(name)))];
  return h("details", {}, h("summary", {}, "All figures"), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All figures" }, h("table", { class: "wide" }, h("thead", {}, h("tr", {}, ["figure", "of", "value", "what it means"].map((title) => h("th", { scope: "col" }, title)))), h("tbody", {}, all))));
}

function notes(audit) {
  const lines = [...audit.notes, ...Object.values(audit.attributes).flatMap((attribute) => attribute.notes)];
  return lines.length ? h("ul", { class: "notes" }, lines.map((line) => h("li", {}, visible(line)))) : null;
}
