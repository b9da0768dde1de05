// A release: how it is searched for, what it costs, and what to take away.

import { button, field, h, redraw, say, select } from "./dom.js";
import { take } from "./api.js";
import { percent, visible } from "./format.js";
import { change, listen, state } from "./store.js";
import { worker } from "./work.js";

export function releasePanel() {
  const options = h("div", { class: "options" });
  const place = h("div", { class: "outcome", id: "release-outcome" });
  const work = worker(place, { done: outcome, label: "Making a release" });
  work.resume(state.jobs.anonymize);
  const draw = () => redraw(options, settings());
  listen("policy", draw);
  draw();
  return h(
    "section",
    { class: "box", "aria-labelledby": "release-title" },
    h("h2", { id: "release-title" }, "A release"),
    h("p", { class: "soft" }, "The least damage that meets every requirement; the file is audited again after it is written."),
    options,
    h("p", { class: "actions" }, button("Make a release", () => work.start(state.table.id, { kind: "anonymize", policy: state.policy }), { class: "primary", id: "release-start" })),
    place,
  );
}

function settings() {
  const chosen = state.policy.release;
  const set = (key, value, usual) => change((policy) => { if (value === usual) delete policy.release[key]; else policy.release[key] = value; }, { measured: false });
  const methods = state.words.methods.map((method) => [method.key, method.key]);
  const losses = state.words.losses.map((loss) => [loss.key, `${loss.key}: ${loss.title}`]);
  const suppress = h("input", { type: "text", inputmode: "decimal", id: "suppress", value: chosen.suppress ?? "", placeholder: "0", on: { change: () => set("suppress", suppress.value.trim() || "0", "0") } });
  const meaning = state.words.methods.find((method) => method.key === (chosen.method ?? "auto"))?.meaning;
  return [
    field("Method", select(methods, chosen.method ?? "auto", (method) => set("method", method, "auto"), { id: "method" }), meaning),
    field("Lose least of", select(losses, chosen.loss ?? "lm", (loss) => set("loss", loss, "lm"), { id: "loss" })),
    field("Share of rows that may be left out", suppress),
    tick("whole-classes", "Keep rows that look alike together", chosen.whole_classes ?? false, (on) => set("whole_classes", on, false)),
    tick("intervals", "Intervals of their own for numbers and dates", chosen.intervals ?? true, (on) => set("intervals", on, true)),
  ];
}

function tick(id, text, checked, listener) {
  return h("div", { class: "tick" }, h("input", { type: "checkbox", id, checked, on: { change: (event) => listener(event.target.checked) } }), h("label", { for: id }, text));
}

function outcome(job) {
  const { release, verdict, sentences, requirements, ways_out: waysOut } = job.result;
  say(verdict);
  const kind = release.holds ? "holds" : "fails";
  return [
    h("div", { class: `verdict ${kind}` }, h("h3", { class: kind }, h("span", { "aria-hidden": "true" }, release.holds ? "✓ " : "✗ "), verdict), sentences.map((sentence) => h("p", {}, sentence)), waysOut.map((sentence) => h("p", {}, sentence))),
    requirements.length ? table("What was required", ["verdict", "required", "of", "in the release", "against the original"], requirements.map((row) => [row.holds ? "✓ holds" : "✗ fails", row.text, row.of, row.found, row.original])) : null,
    losses(release),
    release.holds ? downloads(job.id) : null,
    release.notes.length ? h("ul", { class: "notes" }, release.notes.map((note) => h("li", {}, visible(note)))) : null,
  ];
}

function table(caption, titles, rows) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, h("table", { class: "wide" }, h("caption", {}, caption), h("thead", {}, h("tr", {}, titles.map((title) => h("th", { scope: "col" }, title)))), h("tbody", {}, rows.map((row) => h("tr", {}, row.map((text) => h("td", { class: text.startsWith("✓") ? "holds" : text.startsWith("✗") ? "fails" : "" }, text)))))));
}

function losses(release) {
  const columns = Object.entries(release.column_losses).sort(([, a], [, b]) => b - a);
  if (!columns.length) return null;
  return h(
    "section",
    { "aria-label": "Detail lost, by column" },
    h("h3", {}, "Detail lost, by column"),
    h("ul", { class: "bars" }, columns.map(([name, lost]) => h("li", {}, h("span", { class: "bar-name" }, visible(name)), h("span", { class: "track", "aria-hidden": "true" }, h("span", { "width%": 100 * lost })), h("span", { class: "bar-value" }, percent(lost))))),
  );
}

function downloads(job) {
  const problem = h("p", { class: "problem", role: "alert" });
  const save = (text, file, name, props = {}) =>
    button(text, () => take(job, file, name).then(() => { problem.textContent = ""; }, (error) => { problem.textContent = error.message; }), { "data-file": file, ...props });
  return h(
    "div",
    { class: "downloads" },
    h("h3", {}, "Take away"),
    h("p", { class: "actions" }, save("Release as CSV", "release.csv", "release.csv", { class: "primary" }), save("as Parquet", "release.parquet", "release.parquet", { class: "quiet" }), save("as JSON lines", "release.jsonl", "release.jsonl", { class: "quiet" })),
    h("p", { class: "actions" }, save("Report", "report.html", "release.report.html", { class: "quiet" }), save("Report as JSON", "report.json", "release.csv.report.json", { class: "quiet" }), save("Recipe", "recipe.json", "release.csv.recipe.json", { class: "quiet" })),
    h("p", { class: "hint" }, "The recipe makes the release again. It holds values of the original: keep it with the original."),
    problem,
  );
}
