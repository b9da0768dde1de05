// What was set, taken along: as a policy file that can be loaded again, as a command, and as Python.

import { button, h } from "./dom.js";
import { get, putText, takePolicy } from "./api.js";
import { visible } from "./format.js";
import { change, look, state, tell } from "./store.js";

export function projectActions() {
  const problem = h("p", { class: "problem", role: "alert" });
  const told = (task) => async (...given) => {
    problem.textContent = "";
    try {
      await task(...given);
    } catch (error) {
      problem.textContent = visible(error.message);
    }
  };
  const input = h("input", { type: "file", id: "policy-file", class: "unseen", tabindex: "-1", "aria-label": "A policy file", accept: ".toml", on: { change: told(() => load(input)) } });
  return h(
    "div",
    { class: "project" },
    h("p", { class: "actions" }, button("Save policy", told(() => takePolicy(state.table.id, state.policy)), { class: "quiet", id: "policy-save", title: "Save the policy file: roles, hierarchies, thresholds and choices" }), button("Load…", () => input.click(), { class: "quiet", id: "policy-load", title: "Load a policy file" }), button("Command…", told(() => script("command")), { class: "quiet", id: "as-command", title: "The same on the command line, to copy" }), button("Python…", told(() => script("python")), { class: "quiet", id: "as-python", title: "The same in Python, to copy" }), input),
    problem,
  );
}

// Sets what a policy file says; a column that it does not name is left out of a release.
async function load(input) {
  const [file] = input.files;
  input.value = "";
  const { policy } = await putText(`/tables/${state.table.id}/policy`, await file.text());
  const columns = Object.keys(state.profile.columns);
  const strange = Object.keys(policy.columns).filter((name) => !columns.includes(name));
  if (strange.length) throw new Error(`The policy file is of another table: it names ${strange.slice(0, 3).map((name) => `'${name}'`).join(", ")}, which this one does not have.`);
  state.hierarchies = {};
  change((mine) => Object.assign(mine, policy, { columns: Object.fromEntries(columns.map((name) => [name, policy.columns[name] ?? { role: "identifier" }])) }));
  tell("roles");
  await look();
}

async function script(kind) {
  const text = (await get(`/tables/${state.table.id}/script`))[kind];
  const copied = h("span", { role: "status" });
  const area = h("textarea", { readonly: true, rows: String(Math.min(18, text.split("\n").length + 1)), "aria-labelledby": "script-title", id: "script-text", value: text });
  const copy = () => navigator.clipboard.writeText(text).then(() => { copied.textContent = "Copied."; }, () => { area.select(); copied.textContent = "Press Ctrl+C to copy."; });
  const dialog = h(
    "dialog",
    { class: "ask reading", "aria-labelledby": "script-title" },
    h("h2", { id: "script-title" }, kind === "command" ? "The same on the command line" : "The same in Python"),
    h("p", { class: "hint" }, "It reads the policy file: save it beside the table first."),
    area,
    h("p", { class: "actions" }, button("Copy", copy, { class: "primary", id: "script-copy" }), button("Close", () => dialog.close(), { class: "quiet" }), copied),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
