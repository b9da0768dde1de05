// What this tab knows: the open table, the policy that is being made, and what was last measured.
// Nothing of it is shared with other tabs.

import { later } from "./dom.js";
import { close, get, keep, post, run, unexpected, upload } from "./api.js";

const PAUSE = 200;
const MOST_STEPS = 100;
const LONGEST_HISTORY = 1_000_000;
const GRACE = 300_000;
const KEY = "tclose-table";
const TAKEN = "tclose-taken";

export const state = {
  words: null,
  table: null,
  profile: null,
  suggested: null,
  policy: null,
  history: { past: [], future: [] },
  before: {}, // for each column, what was set when it had another role
  open: { columns: new Set(), levels: new Set() },
  hierarchies: {},
  jobs: {},
  release: null,
  handedOver: null,
  failed: null, // what was wrong with the work that was last asked for
  audit: { busy: false, stale: false, job: null, result: null, sample: null, error: null, stage: "" },
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
export const modelOf = (key) => state.words.models.find((model) => model.key === key);

// Whether all roles are still those that were suggested; nobody has said that they are right.
export const rolesSuggested = () =>
  Boolean(state.suggested) && Object.entries(state.policy.columns).every(([name, { role }]) => state.suggested.columns[name]?.role === role);

export async function open(how, options) {
  const table = how.files ? await upload(how.files, how.folder) : await post("/tables", how);
  if (table.tables) return table; // a database, of which one is still to be chosen
  try {
    await enter(table, null, {}, options);
    claim(table.id);
    return null;
  } catch (problem) {
    if (table.text && problem.status === 422) problem.table = table; // it may be read in another way
    else close(table.id);
    throw problem;
  }
}

// Reads the file of a table in another way; what was found and set before is gone.
export async function readAnew(table, marks, options) {
  const again = await post(`/tables/${table.id}/reading`, marks);
  await enter(again, null, {}, options);
  claim(table.id);
}

async function enter(table, policy, jobs, options, history = null) {
  const { result } = await run(table.id, { kind: "profile" }, options);
  if (state.table && state.table.id !== table.id) close(state.table.id);
  const audit = { busy: true, stale: false, job: null, result: null, sample: null, error: null, stage: "" };
  const suggested = result.suggested ? structuredClone(result.policy) : null;
  const open = { columns: new Set(), levels: new Set() };
  Object.assign(state, { table, profile: result.profile, suggested, open, before: {}, policy: policy ?? result.policy, history: history ?? { past: [], future: [] }, hierarchies: {}, jobs, audit, release: null, failed: null, handedOver: sessionStorage.getItem(TAKEN) });
  sessionStorage.setItem(KEY, table.id);
}

// Which release was taken away, also after a reload.
export function handOver(job) {
  state.handedOver = job;
  sessionStorage.setItem(TAKEN, job);
  tell("release");
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
    const { label, text, policy, history, jobs } = await get(`/tables/${id}`);
    await enter({ id, label, text }, policy, jobs, {}, history);
    return true;
  } catch (problem) {
    if (problem.status !== 404) throw problem;
    sessionStorage.removeItem(KEY);
    return false;
  }
}

let unsaved = false;
let pending = Promise.resolve();
const saveSoon = later(PAUSE, () => save());

function save(options) {
  if (!unsaved) return;
  unsaved = false;
  pending = keep(state.table.id, state.policy, options ? undefined : remembered(), options);
}

// When the server has what is set; what is taken away next says it.
export function kept() {
  save();
  return pending;
}

// The steps that are kept: as many of the last as fit a request.
function remembered() {
  const { past, future } = state.history;
  while (past.length > MOST_STEPS || (past.length && JSON.stringify(past).length > LONGEST_HISTORY)) past.shift();
  return { past, future };
}

// What is set is kept soon, and what was found with other settings is stale.
export function forget() {
  state.failed = null;
  unsaved = true;
  saveSoon();
  outdate();
}

// From here on no figures fit: neither those that are shown nor those that are on their way.
function outdate() {
  current?.abort();
  Object.assign(state.audit, { stale: true, sample: null });
}

// Changes the policy; the figures that are shown are stale from here on, until they are measured again.
export function change(task, { measured = true } = {}) {
  const before = structuredClone(state.policy);
  task(state.policy);
  if (JSON.stringify(before) !== JSON.stringify(state.policy)) state.history = { past: [...state.history.past, before], future: [] };
  unsaved = true;
  state.failed = null;
  saveSoon();
  tell("policy");
  tell("fields");
  if (!measured && !state.audit.error) return; // what could not be measured may have been wrong in any part
  outdate();
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
  if (!audit.result && state.profile.rows >= state.words.sampled_from) impress(audit, mine.signal);
  try {
    const job = await run(state.table.id, work, { signal: mine.signal, told });
    Object.assign(audit, { busy: false, stale: false, job: job.id, result: job.result, made: job, sample: null, error: null });
  } catch (problem) {
    if (mine.signal.aborted) return; // other figures are on their way
    Object.assign(audit, { busy: false, stale: false, job: null, result: null, sample: null, error: unexpected(problem) });
  }
  tell("audit");
}

// A first impression of a large table, from some of its rows; gone as soon as all are counted, or something is changed.
async function impress(audit, signal) {
  const job = await run(state.table.id, { kind: "sample", policy: state.policy }, { signal }).catch(() => null);
  if (!job || signal.aborted || !audit.busy) return;
  audit.sample = job.result;
  tell("audit");
}

const measureSoon = later(PAUSE, measure);

// Asks the server what hierarchies the quasi-identifiers get; where values show none, the policy says so.
export function look(columns) {
  looking = Promise.allSettled([looking, lookAt(columns)]);
  return looking.then(([, { reason }]) => { if (reason) throw reason; });
}

let looking = null;

// When the policy says what hierarchies there are.
export const looked = () => looking;

// The tree that a sensitive column may begin with: the one that was loaded for it, else all of its values side by side.
export async function firstTree(name) {
  const loaded = state.before[name]?.["quasi-identifier"]?.hierarchy;
  if (typeof loaded === "object") return loaded;
  const policy = structuredClone(state.policy);
  policy.columns[name] = { role: "quasi-identifier", hierarchy: "flat" };
  const { result } = await run(state.table.id, { kind: "hierarchies", policy, columns: [name] });
  return { "*": result.columns[name].leaves ?? [] };
}

const alike = (one, other) => one?.role === other?.role && JSON.stringify(one?.hierarchy) === JSON.stringify(other?.hierarchy);

async function lookAt(columns) {
  const wanted = columns ?? quasi();
  if (!wanted.length) return;
  const table = state.table.id;
  const asked = structuredClone(state.policy);
  const { result } = await run(table, { kind: "hierarchies", policy: asked, columns: wanted });
  if (state.table?.id !== table) return;
  for (const [name, found] of Object.entries(result.columns)) {
    const column = state.policy.columns[name];
    if (!alike(column, asked.columns[name])) continue; // it was changed meanwhile, and is looked at anew
    state.hierarchies[name] = found;
    if (found.hierarchy === "flat" && column && !column.hierarchy) column.hierarchy = "flat";
  }
  tell("hierarchies");
}

addEventListener("pagehide", (event) => {
  if (!state.table || event.persisted) return;
  save({ keepalive: true });
  close(state.table.id, GRACE);
});
