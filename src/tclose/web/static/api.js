// The way to the server. Every request carries the token, which came in the fragment of the address.

import { withHint } from "./format.js";

const KEY = "tclose-token";
const WAIT = 2000;
const FIRST_LOOK = 250;
const NEXT_LOOK = 400;

const tokenGiven = () => new URLSearchParams(location.hash.slice(1)).get("token");
export const bringsToken = () => Boolean(tokenGiven());

function tokenOfThisTab() {
  const given = tokenGiven();
  if (given) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", location.pathname);
  }
  return given ?? sessionStorage.getItem(KEY);
}

const token = tokenOfThisTab();

export class Refused extends Error {
  constructor(status, kind, message, { code = "", field = null, column = null, hint = null, problems = [] } = {}) {
    super([message, hint, ...problems.map((each, at) => `(${at + 1}) ${withHint(each)}`)].filter(Boolean).join(" "));
    Object.assign(this, { status, kind, code, field, column, problems });
  }
}

export class Stopped extends Error {}

// What became of work that nobody here stopped: where the server stopped it, that is said.
export const unexpected = (problem) => (problem instanceof Stopped ? new Refused(409, "Stopped", "The server stopped this work. Start it again.") : problem);

const closed = new Set();

export const hasToken = Boolean(token);

async function ask(method, path, body, options = {}) {
  let response;
  try {
    response = await fetch(`/api${path}`, { method, body, headers: { "x-tclose-token": token ?? "" }, ...options });
  } catch (problem) {
    if (problem.name === "AbortError") throw new Stopped();
    throw new Refused(0, "Unreachable", "The server does not answer. Is 'tclose serve' still running?");
  }
  if (response.ok) return response;
  const told = await response.json().catch(() => ({}));
  throw new Refused(response.status, told.error?.kind ?? "", told.error?.message ?? `The server answered ${response.status}.`, told.error ?? {});
}

export async function get(path, options) {
  return (await ask("GET", path, undefined, options)).json();
}

export async function post(path, data, options) {
  return (await ask("POST", path, JSON.stringify(data), options)).json();
}

// Brings a file, or several as one table; the answer is a table, or the tables of a database.
export async function upload(files, folder = "") {
  let told = {};
  for (const [at, file] of files.entries()) {
    const query = new URLSearchParams({ name: file.name });
    if (files.length > 1) query.set("more", String(at < files.length - 1));
    if (told.upload) query.set("upload", told.upload);
    if (folder) query.set("folder", folder);
    told = await (await ask("POST", `/uploads?${query}`, file)).json();
  }
  return told;
}

export async function putText(path, text) {
  return (await ask("PUT", path, text)).json();
}

export function keep(table, policy, history, options) {
  return ask("PUT", `/tables/${table}`, JSON.stringify({ policy, history }), options).catch(() => null);
}

// Closes a table; with a grace, only if the page does not come back within it.
export function close(table, grace = 0) {
  closed.add(table);
  return ask("DELETE", `/tables/${table}?grace=${grace}`, undefined, { keepalive: true }).catch(() => null);
}

// Runs a job to its end. `signal` stops it on the server too; `told` hears how far it is.
export async function run(table, work, options = {}) {
  return follow(await post(`/tables/${table}/jobs?wait=${options.told ? FIRST_LOOK : WAIT}`, work), options);
}

export async function follow(job, { signal, told } = {}) {
  const stop = () => ask("DELETE", `/jobs/${job.id}`).catch(() => null);
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    while (job.state === "waiting" || job.state === "running") {
      told?.(job);
      if (closed.has(job.table)) throw new Stopped();
      job = await get(`/jobs/${job.id}?wait=${NEXT_LOOK}`);
    }
  } finally {
    signal?.removeEventListener("abort", stop);
  }
  if (job.state === "cancelled" || signal?.aborted) throw new Stopped();
  if (job.state === "failed") throw new Refused(422, job.error.kind, job.error.message, job.error);
  return job;
}

// Saves a text of the page's own as a file.
export const save = (text, type, name) => saved(new Response(text, { headers: { "content-type": type } }), name);

async function saved(response, name) {
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export async function take(job, file, name = file) {
  await saved(await ask("GET", `/jobs/${job}/files/${file}`), name);
}

export async function takePolicy(table, policy) {
  await saved(await ask("POST", `/tables/${table}/policy`, JSON.stringify({ policy })), "tclose.toml");
}
