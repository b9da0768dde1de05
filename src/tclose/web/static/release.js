// A release: how it is searched for, what it costs, and what to take away.

import { SIGNS, button, careful, h, redraw, say, tabled, verdictKind } from "./dom.js";
import { take } from "./api.js";
import { aboutReport } from "./about.js";
import { comparison } from "./compare.js";
import { onFaults } from "./faults.js";
import { formField, moreFields } from "./forms.js";
import { percent, sign, visible, withHint } from "./format.js";
import { taking } from "./stale.js";
import { meaning } from "./terms.js";
import { usefulness } from "./useful.js";
import { whyPanel } from "./why.js";
import { change, handOver, kept, listen, modelOf, state, tell } from "./store.js";
import { worker } from "./work.js";

export function releasePanel() {
  const options = h("div", { class: "options" });
  const place = h("div", { class: "outcome", id: "release-outcome" });
  const draw = () => redraw(options, settings());
  const why = whyPanel();
  const work = worker(place, { done: (job, how) => outcome(job, how, why), label: "Making a release" });
  work.resume(state.jobs.anonymize);
  listen("policy", draw);
  onFaults(draw);
  draw();
  return h(
    "section",
    { class: "box", "aria-labelledby": "release-title" },
    h("h2", { id: "release-title" }, "A release", meaning("release")),
    h("p", { class: "soft" }, "The least damage that meets every requirement; the file is audited again after it is written."),
    options,
    h("p", { class: "actions" }, button("Make a release", () => work.start(state.table.id, { kind: "anonymize" }), { class: "primary", id: "release-start" })),
    place,
  );
}

function settings() {
  const forms = state.words.forms.release;
  const [direct, others] = [true, false].map((prominent) => forms.filter((form) => form.prominent === prominent));
  return [direct.map((form) => formField("release", form)), moreFields("settings", "More settings", "release", others)];
}

function outcome(job, { stale, again }, why) {
  const { release, verdict, care, sentences, requirements, ways_out: waysOut } = job.result;
  const told = [...sentences, ...waysOut].map((sentence) => h("p", {}, sentence));
  say(stale || verdict);
  const kind = verdictKind(release.verdict, care, Boolean(stale));
  return [
    stale ? made(job, stale, again) : null,
    h("div", { class: `verdict ${kind}` }, h("h3", { class: kind }, stale ? null : h("span", { "aria-hidden": "true" }, SIGNS[release.verdict]), verdict), careful(care), stale ? null : nearest(release.binding, again), told),
    requirements.length ? tabled("What was required", ["verdict", "required", "of", "in the release", "against the original"], requirements.map(judged)) : null,
    losses(release),
    release.holds ? why : null,
    release.holds ? comparison(job) : null,
    release.holds ? usefulness(job) : null,
    release.holds ? downloads(job) : null,
    release.notes.length ? h("ul", { class: "notes" }, release.notes.map((note) => h("li", {}, withHint(note)))) : null,
  ];
}

const judged = ({ holds, text, of, found, original }) => h("tr", {}, h("td", { class: holds ? "holds" : "fails" }, holds ? "✓ holds" : "✗ fails"), h("th", { scope: "row" }, text), [of, found, original].map((each) => h("td", {}, each)));

// One click to the nearest thresholds by which something is kept.
function nearest(binding, again) {
  const bound = binding?.requirements ?? [];
  const placeOf = (policy, { attribute }) => (attribute === null ? policy.policy : policy.columns[attribute]);
  if (!bound.length || bound.some((each) => each.nearest === null || Array.isArray(state.policy.policy[each.model]))) return null;
  const take = () => {
    change((policy) => { for (const each of bound) placeOf(policy, each)[each.model] = each.nearest; });
    again();
  };
  const words = bound.map((each) => `${each.model} ${sign(modelOf(each.model))} ${each.nearest}${each.attribute === null ? "" : ` of ${visible(each.attribute)}`}`).join(" and ");
  return [
    h("p", { class: "actions" }, button(`Take ${words}, and make it again`, take, { class: "primary", id: "release-nearest" })),
    h("p", { class: "hint" }, "This keeps whole levels of one column. A release with classes of several levels may keep something sooner: What thresholds cost, below, tries them."),
  ];
}

// What is said above a release of other settings, with the two ways on.
function made(job, stale, again) {
  const back = () => { change((policy) => Object.assign(policy, structuredClone(job.settings))); tell("roles"); };
  return h("div", { class: "outdated", id: "release-stale" }, h("p", {}, h("strong", {}, stale)), h("p", { class: "actions" }, button("Make it again for what is set now", again, { class: "primary", id: "release-again" }), button("Go back to its settings", back, { class: "quiet", id: "release-back" })));
}

function losses(release) {
  const columns = Object.entries(release.column_losses).sort(([, a], [, b]) => b - a);
  if (!columns.length) return null;
  return h(
    "section",
    { "aria-label": "Detail lost, by column" },
    h("h3", {}, "Detail lost, by column", meaning("kept detail")),
    h("ul", { class: "bars" }, columns.map(([name, lost]) => h("li", {}, h("span", { class: "bar-name" }, visible(name)), h("span", { class: "track", "aria-hidden": "true" }, h("span", { "width%": 100 * lost })), h("span", { class: "bar-value" }, percent(lost))))),
  );
}

function downloads(job) {
  const save = (text, file, name, props = {}) =>
    taking(text, job, () => kept().then(() => take(job.id, file, name)).then(() => { if (file.startsWith("release.")) handOver(job.id); }), { "data-file": file, ...props });
  return h(
    "div",
    { class: "downloads" },
    h("h3", { id: "hand-over" }, "Hand over"),
    aboutReport(),
    h("p", { class: "actions" }, save("Package to hand over", "release.zip", "release.zip", { class: "primary" })),
    h("p", { class: "hint" }, "One file: the release, its report, the policy it meets, a statement for machines, and checksums. The recipe is not in it."),
    h("h3", {}, "Or each by itself"),
    h("p", { class: "actions" }, save("Release as CSV", "release.csv", "release.csv", { class: "quiet" }), save("as Parquet", "release.parquet", "release.parquet", { class: "quiet" }), save("as JSON lines", "release.jsonl", "release.jsonl", { class: "quiet" })),
    h("p", { class: "actions" }, save("Report", "report.html", "release.report.html", { class: "quiet" }), save("Report as JSON", "report.json", "release.csv.report.json", { class: "quiet" })),
    h("p", { class: "actions" }, save("Report with everything (confidential)", "report.confidential.html", "release.report.confidential.html", { class: "quiet" })),
    h("p", { class: "hint" }, "For the owner of the original: also what models, other levels and thresholds say. It tells of the original what the release does not, and says so on every page."),
    h("p", { class: "actions" }, save("Recipe (secret)", "recipe.json", "release.csv.recipe.json", { class: "quiet" }), meaning("recipe")),
    h("p", { class: "hint" }, "The recipe makes the release again. It holds values of the original: it is secret, and stays with the original."),
  );
}
