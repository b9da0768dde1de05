// Long work on the page: a bar that says how far it is, and a button that stops it.

import { button, h, redraw, say } from "./dom.js";
import { follow, get, run, Stopped } from "./api.js";
import { visible } from "./format.js";

export function worker(place, { done, label }) {
  let current = null;

  async function watch(begin) {
    current?.abort();
    const mine = (current = new AbortController());
    const bar = h("progress", { max: 1, "aria-label": label });
    const stage = h("span", { class: "soft" }, "Starting…");
    redraw(place, h("div", { class: "working" }, bar, stage, button("Cancel", () => { stage.textContent = "Stopping…"; mine.abort(); }, { class: "quiet", "data-cancel": "" })));
    const told = (job) => {
      if (mine.signal.aborted) return;
      if (job.share === null) bar.removeAttribute("value");
      else bar.value = job.share;
      stage.textContent = visible(job.stage) || "Working…";
    };
    try {
      const job = await begin({ signal: mine.signal, told });
      redraw(place, done(job));
    } catch (problem) {
      if (problem instanceof Stopped) {
        if (current === mine) redraw(place, h("p", { class: "soft" }, "Cancelled. Nothing was kept."));
        say("Cancelled");
      } else redraw(place, h("p", { class: "problem", role: "alert" }, visible(problem.message)));
    }
  }

  return {
    start: (table, work) => watch((options) => run(table, work, options)),
    // Shows work that was begun before the page came back.
    resume: (id) => id && get(`/jobs/${id}`).then((job) => watch((options) => follow(job, options)), () => null),
  };
}
