// What this tab knows: the open table, the policy that is being made, and what was last measured.
// Nothing of it is shared with other tabs.

import { later } from "./dom.js";
import { close, get, keep, post, run, Stopped, upload } from "./api.js";

const PAUSE = 200;
const GRACE = 300_000;
const KEY = "tclose-table";

export const state = {
  words: null,
  table: null,
  profile: null,
  policy: null,
  hierarchies: {},
  jobs: {},
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

export async function open(how, options) {
  const table = how instanceof File ? await upload(how) : await post("/tables", how);
  try {
    await enter(table, null, {}, options);
    claim(table.id);
  } catch (problem) {
    close(table.id);
    throw problem;
  }
}

async function enter(table, policy, jobs, options) {
  const { result } = await run(table.id, { kind: "profile" }, options);
  if (state.table && state.table.id !== table.id) close(state.table.id);
  const audit = { busy: true, stale: false, job: null, result: null, error: null, stage: "" };
  Object.assign(state, { table, profile: result.profile, policy: policy ?? result.policy, hierarchies: {}, jobs, audit });
  sessionStorage.setItem(KEY, table.id);
}

// A table belongs to one tab: a tab that was duplicated finds the lock taken and starts afresh.
function claim(id) {
  return new Promise((settled) => {
    const held = () => {
      settled(true);
      return new Promise(() => {});
    };
    navigator.locks.request(`tclose-${id}`, { signal: AbortSignal.timeout(500) }, held).catch(() => settled(false));
  });
}

// After a reload: the same table with the same settings, if the server still has it. Says whether it does.
export async function comeBack() {
  const id = sessionStorage.getItem(KEY);
  if (!id || !(await claim(id))) return false;
  try {
    const { label, policy, jobs } = await get(`/tables/${id}`);
    await enter({ id, label }, policy, jobs);
    return true;
  } catch (problem) {
    if (problem.status !== 404) throw problem;
    sessionStorage.removeItem(KEY);
    return false;
  }
}

let unsaved = false;
const saveSoon = later(PAUSE, () => save());

function save(options) {
  if (!unsaved) return;
  unsaved = false;
  keep(state.table.id, state.policy, options);
}

// Changes the policy; the figures that are shown are stale from here on, until they are measured again.
export function change(task, { measured = true } = {}) {
  task(state.policy);
  unsaved = true;
  saveSoon();
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
  if (!state.table || event.persisted) return;
  save({ keepalive: true });
  close(state.table.id, GRACE);
});
