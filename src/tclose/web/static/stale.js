// Whether a result was made with the settings that are set now; if not, what it was made for.

import { button, h } from "./dom.js";
import { visible } from "./format.js";
import { state } from "./store.js";

const OF_RECODING = ["hierarchy", "levels", "weight"];

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return String(value);
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

const same = (one, other) => JSON.stringify(sorted(one ?? {})) === JSON.stringify(sorted(other ?? {}));

// What an audit depends on: not on how quasi-identifiers are recoded.
function measured({ columns, policy }) {
  const kept = Object.entries(columns).map(([name, column]) => [name, column.role === "quasi-identifier" ? Object.fromEntries(Object.entries(column).filter(([key]) => !OF_RECODING.includes(key))) : column]);
  return { columns: Object.fromEntries(kept), policy };
}

// What thresholds cost depends on everything but the threshold that is swept and the method that is taken.
function swept({ columns, policy, release }, sweep) {
  const { [sweep]: _threshold, ...others } = policy;
  const { method: _method, ...rest } = release ?? {};
  return { columns, policy: others, release: rest };
}

const unreported = ({ report: _report, ...settings }) => settings;

const PARTS = { audit: measured, anonymize: unreported, attack: unreported, lattice: unreported, why: unreported, frontier: (settings, job) => swept(settings, job.result.frontier.sweep) };

function fits(job) {
  const part = PARTS[job.kind];
  return same(part(job.settings, job), part(state.policy, job));
}

const rolesOf = ({ columns }) => Object.fromEntries(Object.entries(columns).map(([name, { role }]) => [name, role]));
const named = (settings, role) => Object.entries(settings.columns).filter(([, column]) => column.role === role).map(([name]) => visible(name)).join(", ") || "none";

// In words, what a result was made for; empty where that is what is set now.
export const outdated = (job) => (job?.settings && !fits(job) ? madeFor(job) : "");

export function madeFor({ settings, result }) {
  if (!same(rolesOf(settings), rolesOf(state.policy))) return `Made with the quasi-identifiers ${named(settings, "quasi-identifier")} and the sensitive columns ${named(settings, "sensitive")}, not with the roles that are set now.`;
  const wanted = result.made_for ? `Made for ${visible(result.made_for)}` : "Made when nothing was required";
  return same(measured(settings), measured(state.policy)) ? `${wanted}, but with other choices for a release than are set now.` : `${wanted}, not for what is set now.`;
}

// Asks before something is done that may be a mistake; the answer is no unless a person says yes.
export function sure(question, yes) {
  return new Promise((answer) => {
    const dialog = h(
      "dialog",
      { class: "ask", "aria-labelledby": "ask-title" },
      h("h2", { id: "ask-title" }, question),
      h("form", { method: "dialog", class: "actions" }, h("button", { class: "primary", value: "", autofocus: true }, "No, go back"), h("button", { class: "quiet", value: "yes" }, yes)),
    );
    dialog.addEventListener("close", () => { dialog.remove(); answer(dialog.returnValue === "yes"); });
    document.body.append(dialog);
    dialog.showModal();
  });
}

// Does what may fail; what went wrong is said below the buttons, until it is tried again.
export async function tried(pressed, task) {
  const place = pressed.closest(".actions") ?? pressed;
  if (place.nextElementSibling?.matches(".problem.of-actions")) place.nextElementSibling.remove();
  try {
    await task();
  } catch (problem) {
    place.after(h("p", { class: "problem of-actions", role: "alert" }, visible(problem.message)));
  }
}

// A button that takes a file away; where it is not what is set now, it asks first.
export function taking(text, job, take, props = {}) {
  const taken = async (event) => {
    const made = outdated(job);
    if (!made || (await sure(`${made} Take it all the same?`, "Take it all the same"))) await tried(event.currentTarget ?? event.target, take);
  };
  return button(text, taken, props);
}
