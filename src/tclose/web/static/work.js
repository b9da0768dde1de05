// Long work on the page: a bar that says how far it is, and a button that stops it.

import { button, h, redraw, say } from "./dom.js";
import { follow, get, run, Stopped, unexpected } from "./api.js";
import { visible } from "./format.js";
import { outdated } from "./stale.js";
import { listen, looked, state, tell } from "./store.js";

const unlessStopped = (promise, signal) => Promise.race([promise, new Promise((_, refuse) => { signal.addEventListener("abort", () => refuse(new Stopped())); })]);

// Keeps what was wrong, to be said at its field too.
function failed(problem) {
  state.failed = problem;
  tell("fields");
}

export function worker(place, { done, label }) {
  let current = null;
  let last = null;
  let stale = "";

  const show = () => {
    stale = outdated(last);
    if (last.kind === "anonymize") state.release = last;
    redraw(place, done(last, { stale, again: () => begin(state.table.id, last.work) }));
    tell("release");
  };
  // What was made with other settings is marked as soon as they are others, and no longer when they are its own again.
  const compare = () => last && outdated(last) !== stale && show();
  for (const topic of ["policy", "roles", "hierarchies"]) listen(topic, compare);

  async function watch(kind, started) {
    current?.abort();
    last = null;
    failed(null);
    if (kind === "anonymize") state.release = null;
    tell("release");
    const mine = (current = new AbortController());
    const bar = h("progress", { max: 1, "aria-label": label });
    const stage = h("span", { class: "soft" }, "Starting…");
    redraw(place, h("div", { class: "working" }, bar, stage, button("Cancel", () => { stage.textContent = "Stopping…"; mine.abort(); }, { class: "quiet", "data-cancel": "" })));
    const told = (job) => {
      if (mine.signal.aborted) return;
      if (job.share === null) bar.removeAttribute("value");
      else bar.value = job.share;
      const left = job.left === null ? "" : `, about ${Math.floor(job.left / 60)}:${String(job.left % 60).padStart(2, "0")} left`;
      stage.textContent = `${visible(job.stage) || "Working…"}${left}`;
    };
    try {
      const made = await started({ signal: mine.signal, told });
      if (current !== mine) return; // other work was started meanwhile
      last = made;
      show();
    } catch (problem) {
      if (current !== mine) return;
      if (mine.signal.aborted) {
        redraw(place, h("p", { class: "soft" }, "Cancelled. Nothing was kept."));
        say("Cancelled");
      } else {
        const told = unexpected(problem);
        failed(told);
        redraw(place, h("p", { class: "problem", role: "alert" }, visible(told.message)));
      }
    }
  }

  const begin = (table, work) => watch(work.kind, async (options) => {
    await unlessStopped(looked(), options.signal);
    return { ...(await run(table, { ...work, policy: state.policy }, options)), work };
  });

  return {
    start: begin,
    // Shows work that was begun before the page came back.
    resume: (id) => id && get(`/jobs/${id}`).then((job) => watch(job.kind, async (options) => ({ ...(await follow(job, options)), work: { kind: job.kind } })), () => null),
  };
}
