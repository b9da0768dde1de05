// The verdict and the figures, as the last audit found them; marked as stale while a new one runs.

import { SIGNS, button, careful, h, redraw, tabled, verdictKind } from "./dom.js";
import { both, counted, figure, fraction, keyText, number, titleOf, visible, withHint } from "./format.js";
import { take } from "./api.js";
import { meaning } from "./terms.js";
import { madeFor, outdated, sure, taking, tried } from "./stale.js";
import { kept, listen, measure, modelOf, quasi, sensitive, state } from "./store.js";

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
  const { busy, stale, error, result, sample, made, stage } = state.audit;
  const status = h("p", { class: "status", id: "stage", "aria-hidden": String(!busy) }, busy ? stage || "Measuring…" : stale ? "Waiting…" : "");
  if (error) return [status, h("section", { class: "verdict fails" }, h("h2", {}, titleOf(error, "This cannot be measured")), h("p", { role: "alert" }, visible(error.message)), h("p", { class: "actions" }, button("Measure again", measure, { class: "quiet", id: "measure-again" })))];
  if (!result) return busy ? [status, sample ? impression(sample) : waiting()] : [status, missing()];
  const { audit } = result;
  return [
    status,
    verdict(result, busy || stale),
    h("ul", { class: "cards" }, card("k", result.risk, audit.k), Object.entries(audit.attributes).map(([name, attribute]) => attributeCard(name, attribute, result.attributes[name].risk, explain))),
    required(audit, explain),
    Object.entries(audit.attributes).map(([name, attribute]) => drivers(name, attribute, result.attributes[name])),
    checked(audit),
    finders(result.attackers),
    population(audit),
    some(audit, explain),
    everything(audit),
    notes(audit),
    h("p", { class: "actions" }, taking("Save the report", made, () => kept().then(() => take(made.id, "audit.html")), { class: "quiet", "data-file": "audit.html" }), taking("Save as JSON", made, () => take(made.id, "audit.json"), { class: "quiet", "data-file": "audit.json" }), audit.confidential ? button("Report with single people…", ({ target }) => confidential(made, target), { class: "quiet", "data-file": "audit.confidential.html" }) : null),
  ];
}

// Classes of very few are withheld in reports; whoever may see them is asked whether that is meant.
async function confidential(made, pressed) {
  const stale = outdated(made);
  if (await sure(`${stale ? `${stale} ` : ""}This report shows classes so small that they show single people. It is confidential, and says so on every page.`, "Take it")) await tried(pressed, () => take(made.id, "audit.confidential.html"));
}

function waiting() {
  return h("div", { class: "skeleton", "aria-hidden": "true" }, h("div", { class: "ghost tall" }), h("div", { class: "cards" }, h("div", { class: "ghost" }), h("div", { class: "ghost" }), h("div", { class: "ghost" })));
}

// What some of the rows say, which is no verdict: nothing is judged, and nothing can be taken away.
function impression({ rows, k, attributes }) {
  const shown = (name, { value }) => h("li", { class: "card figure-card" }, h("span", { class: "name" }, name), h("span", { class: "value" }, `≈ ${number(value)}`), h("span", { class: "soft" }, "in the sample"));
  return h(
    "section",
    { class: "impression", id: "impression" },
    h("div", { class: "verdict stale" }, h("h2", {}, `From a sample of ${counted(rows, "row")}; the whole is being counted`), h("p", {}, "This is a first impression and no verdict. Of fewer rows fewer are alike: classes are smaller than in the whole table, and t is usually larger.")),
    h("ul", { class: "cards" }, shown("k, about", k), Object.entries(attributes).map(([name, found]) => shown(`t of ${visible(name)}, about`, found))),
  );
}

function missing() {
  const lacking = [!quasi().length && "a quasi-identifier: what others may know of a person", !sensitive().length && "a sensitive column: what is to be protected"].filter(Boolean);
  return h("section", { class: "empty" }, h("h2", {}, "Nothing to measure yet"), h("p", {}, `Among the columns, mark ${lacking.join(", and ")}.`));
}

function verdict({ audit, verdict: sentence, care, table }, stale) {
  const kind = verdictKind(audit.verdict, care, stale);
  const mark = stale ? "" : (SIGNS[audit.verdict] ?? "");
  return h("section", { class: `verdict ${kind}` }, stale ? h("p", { class: "outdated" }, h("strong", {}, madeFor(state.audit.made))) : null, h("h2", { class: kind }, h("span", { "aria-hidden": "true" }, mark), sentence), careful(care), h("p", { class: "soft" }, table, meaning("reference")), audit.warnings.map((line) => h("p", { class: "warning" }, withHint(line))), audit.reasons.filter((reason) => reason.code !== "rows-not-people").map((reason) => h("p", { class: "warning" }, withHint(reason), reason.accepted ? ` Accepted: ${visible(reason.accepted)}` : "")));
}

function card(key, risk, found) {
  const model = modelOf(key);
  return h("li", { class: "card figure-card" }, h("span", { class: "name" }, `${key}, ${model.title}`, meaning(model.title, model.meaning)), h("span", { class: "value", "data-figure": key }, figure(found)), h("span", { class: "exact" }, fraction(found)), h("span", { class: "soft" }, visible(risk)));
}

function attributeCard(name, attribute, risk, explain) {
  return h(
    "li",
    { class: "card figure-card", "data-attribute": name },
    h("span", { class: "name" }, `t of ${visible(name)}`, meaning(modelOf("t").title, modelOf("t").meaning)),
    h("span", { class: "value", "data-figure": `t-${name}` }, figure(attribute.t)),
    h("span", { class: "exact" }, fraction(attribute.t)),
    risk.map((sentence) => h("span", { class: "soft" }, visible(sentence))),
    h("span", { class: "soft" }, `${attribute.distance}; ℓ ${figure(attribute.l)}`, meaning("distance")),
    attribute.t?.worst ? button("Watch the worst class", () => explain(name, attribute.t.worst.key), { class: "link" }) : null,
  );
}

// Words that may stand below each other where there is little room.
// What fails: people where they are counted, else rows.
const units = (failing) => (failing.people === undefined ? counted(failing.rows, "row") : `${failing.at_most ? "at most " : ""}${counted(failing.people, "person", "people")}`);

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
      h("td", { class: "parts" }, pieces(...each.found.text.split(/ (?=\()/))),
      h("td", { class: "parts" }, each.holds ? (each.vacuous ? "none, ever" : "none") : each.any ? pieces(`${counted(each.failing.subsets, "combination", "combinations")},`, units(each.failing)) : each.failing.classes ? pieces(`${counted(each.failing.classes, "class", "classes")},`, units(each.failing)) : "the table"),
      h("td", { class: "long" }, each.worst && each.attribute !== null ? button(keyText(each.worst.key), () => explain(each.attribute, each.worst.key), { class: "link" }) : keyText(each.worst?.key)),
    );
  const titles = ["verdict", "required", "of", "found", "failing", "worst class"];
  return tabled("What was required", titles, audit.requirements.map(row), (title) => meaning(title));
}

// A chance with its fraction below it, or why there is none.
function chance(found, measured) {
  if (!measured) return h("span", {}, found);
  const [value, exact] = found.split(/ (?=\()/);
  return [h("span", { class: "value" }, value), h("span", { class: "exact" }, exact ?? "")];
}

// Who could find people, and how likely.
function finders(attackers) {
  const card = ({ attacker, who, found, measured, more }) => h("li", { class: "card figure-card", "data-attacker": attacker }, h("span", { class: "name" }, `The ${attacker}`), h("span", { class: "soft" }, who.charAt(0).toUpperCase() + who.slice(1)), chance(found, measured), more ? h("span", { class: "soft" }, visible(more)) : null);
  return h("section", { class: "finders", "aria-label": "Who could find people" }, h("h3", {}, "Who could find people"), h("ul", { class: "cards" }, attackers.map(card)));
}

// Who may be alone in the population, by each estimator.
function population(audit) {
  if (!audit.population) return null;
  const { people, estimates } = audit.population;
  const share = (value) => (value === null ? "" : `${(100 * value).toFixed(1)} %`);
  const row = ([key, found]) => h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, found.uniques === null ? "no answer" : Math.round(found.uniques).toLocaleString("en")), h("td", {}, share(found.alone)), h("td", {}, found.error === null ? "not tried" : share(found.error)));
  return h("section", { "aria-label": "The population" }, h("h3", {}, "The population"), h("p", { class: "soft" }, `Estimates for ${counted(people, "person", "people")}; none of them is the truth.`), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Who is alone in the population" }, h("table", { class: "wide" }, h("thead", {}, h("tr", {}, ["estimator", "alone in it", "of lone rows", "error here"].map((word) => h("th", { scope: "col" }, word)))), h("tbody", {}, Object.entries(estimates).map(row)))));
}

// What a rule asks of columns, which of them miss it, and what it does not cover.
function checked(audit) {
  if (!audit.preset) return null;
  const { title, checks, not_covered: notCovered } = audit.preset;
  const row = (check) => h("li", { class: check.holds ? "holds" : "fails" }, `${check.holds ? "✓" : "✗"} ${check.text} ${Object.entries(check.failing).map(([name, rows]) => `${visible(name)}: ${counted(rows, "row")}`).join(", ")}`);
  return h("section", { "aria-label": title }, h("h3", {}, title), checks.length ? h("ul", { class: "judged" }, checks.map(row)) : null, h("details", {}, h("summary", {}, "What it does not cover"), h("ul", {}, notCovered.map((line) => h("li", {}, line)))));
}

// The figures for whoever knows only some of the columns, each with the columns it takes.
function some(audit, explain) {
  if (!audit.any) return null;
  const row = (of, attribute) => ([key, found]) => h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, of), h("td", {}, both(found)), h("td", {}, found.known.map(visible).join(", ")), h("td", { class: "long" }, found.worst && attribute ? button(keyText(found.worst.key), () => explain(attribute, found.worst.key), { class: "link" }) : keyText(found.worst?.key)));
  const rows = [Object.entries(audit.any.figures).map(row("the table", null)), Object.entries(audit.any.attributes).map(([name, figures]) => Object.entries(figures).map(row(visible(name), name)))];
  const title = audit.any.columns === 1 ? "Any column" : `Any ${audit.any.columns} columns`;
  return h("section", { "aria-label": title }, h("h3", {}, title), h("p", { class: "soft" }, `The worst of ${counted(audit.any.subsets, "combination of columns", "combinations of columns")}, for someone who knows no other.`), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Figures of ${title.toLowerCase()}` }, h("table", { class: "wide" }, h("thead", {}, h("tr", {}, ["figure", "of", "value", "known", "worst class"].map((word) => h("th", { scope: "col" }, word)))), h("tbody", {}, rows))));
}

function drivers(name, attribute, told) {
  if (!attribute.drivers) return null;
  // Where no single column lowers the largest t, they are ranked by t on average over rows, which is what they change.
  const averages = told.averages && { as_is: { value: told.averages.as_is }, without: Object.fromEntries(Object.entries(told.averages.without).map(([column, value]) => [column, { value }])) };
  const [now, without] = averages ? [averages.as_is, averages.without] : [attribute.t, attribute.drivers];
  const ranked = Object.entries(without).sort(([, a], [, b]) => a.value - b.value);
  const most = (averages ? now.value : attribute.largest_t.value) || 1;
  const bar = (label, found, extra) =>
    h(
      "li",
      { class: extra },
      h("span", { class: "bar-name" }, label),
      h("span", { class: "track", "aria-hidden": "true" }, h("span", { "width%": Math.min(100, (100 * found.value) / most) })),
      h("span", { class: "bar-value" }, averages ? `${number(found.value)} on average` : both(found)),
    );
  return h(
    "section",
    { class: "drivers", "aria-label": `What drives the disclosure of ${visible(name)}`, "data-drivers": averages ? "average" : "largest" },
    h("h3", {}, `What drives the disclosure of ${visible(name)}`, meaning("driver")),
    h("p", { class: "soft" }, visible(told.driving)),
    ranked.every(([, found]) => number(found.value) === number(now.value)) ? null : h("ul", { class: "bars" }, bar("as it is", now, "as-is"), ranked.map(([column, found]) => bar(`without ${visible(column)}`, found, column === told.driver ? "most" : ""))),
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
  return lines.length ? h("ul", { class: "notes" }, lines.map((line) => h("li", {}, withHint(line)))) : null;
}
