// What this tab knows: the open table, the policy that is being made, and what was last measured.
// Nothing of it is shared with other tabs.

import { later } from "./dom.js";
import { close, post, run, Stopped, upload } from "./api.js";

const PAUSE = 350;

export const state = {
  words: null,
  table: null,
  profile: null,
  policy: null,
  hierarchies: {},
  audit: { busy: false, stale: false, job: null, result: null, error: null, stage: "" },
};

const listeners = new Map();

export function listen(topic, listener) {
  listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
}

export function tell(topic) {
  for (const listener of listeners.get(topic) ?? []) listener();
}

export function forgetListeners() {
  listeners.clear();
}

export const namesWith = (role) =>
  Object.entries(state.policy?.columns ?? {}).filter(([, column]) => column.role === role).map(([name]) => name);

export const quasi = () => namesWith("quasi-identifier");
export const sensitive = () => namesWith("sensitive");

export async function open(how) {
  const table = how instanceof File ? await upload(how) : await post("/tables", how);
  try {
    const { result } = await run(table.id, { kind: "profile" });
    if (state.table) close(state.table.id);
    const audit = { busy: true, stale: false, job: null, result: null, error: null, stage: "" };
    Object.assign(state, { table, profile: result.profile, policy: result.policy, hierarchies: {}, audit });
  } catch (problem) {
    close(table.id);
    throw problem;
  }
}

// Changes the policy; the figures that are shown are stale from here on, until they are measured again.
export function change(task, { measured = true } = {}) {
  task(state.policy);
  tell("policy");
  if (!measured) return;
  state.audit.stale = true;
  tell("audit");
  measureSoon();
}

let current = null;

export async function measure() {
  current?.abort();
  const mine = (current = new AbortController());
  const audit = state.audit;
  if (!quasi().length || !sensitive().length) {
    Object.assign(audit, { busy: false, stale: false, job: null, result: null, error: null });
    tell("audit");
    return;
  }
  Object.assign(audit, { busy: true, error: null, stage: "" });
  tell("audit");
  const work = { kind: "audit", policy: state.policy };
  const told = (job) => {
    if (mine.signal.aborted) return;
    audit.stage = job.stage;
    tell("progress");
  };
  try {
    const job = await run(state.table.id, work, { signal: mine.signal, told });
    Object.assign(audit, { busy: false, stale: false, job: job.id, result: job.result, error: null });
  } catch (problem) {
    if (problem instanceof Stopped) return;
    Object.assign(audit, { busy: false, stale: false, error: problem });
  }
  if (!mine.signal.aborted) tell("audit");
}

const measureSoon = later(PAUSE, measure);

// Asks the server what hierarchies the quasi-identifiers get; where values show none, the policy says so.
export async function look(columns) {
  const wanted = columns ?? quasi();
  if (!wanted.length) return;
  const table = state.table.id;
  const { result } = await run(table, { kind: "hierarchies", policy: state.policy, columns: wanted });
  if (state.table?.id !== table) return;
  for (const [name, found] of Object.entries(result.columns)) {
    state.hierarchies[name] = found;
    const column = state.policy.columns[name];
    if (found.hierarchy === "flat" && column && !column.hierarchy) column.hierarchy = "flat";
  }
  tell("hierarchies");
}

addEventListener("pagehide", (event) => {
  if (state.table && !event.persisted) close(state.table.id);
});
