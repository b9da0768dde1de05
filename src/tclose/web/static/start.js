// The start: an example, or a file of one's own.

import { button, h, redraw, say } from "./dom.js";
import { bytes, counted, visible } from "./format.js";
import { readingForm } from "./reading.js";
import { open, state } from "./store.js";

export function startView(opened) {
  const problem = h("p", { class: "problem", role: "alert" });
  const stage = h("p", { class: "status" });
  const marks = h("div", {});
  const root = h("section", { class: "start" });

  async function choose(how, what) {
    root.setAttribute("aria-busy", "true");
    problem.textContent = "";
    redraw(marks);
    stage.textContent = `Opening ${visible(what)}…`;
    say(`Opening ${visible(what)}`);
    try {
      await open(how, { told: (job) => { stage.textContent = job.stage ? `${job.stage}…` : ""; } });
      opened();
    } catch (error) {
      problem.textContent = visible(error.message);
      if (error.table) redraw(marks, readingForm(error.table, opened));
      input.value = "";
      say("");
    } finally {
      stage.textContent = "";
      root.removeAttribute("aria-busy");
    }
  }

  function chosen(file) {
    if (!file) return;
    const most = state.words.largest_upload;
    if (file.size > most) problem.textContent = `The file has ${bytes(file.size)}; ${bytes(most)} are taken in. Name it on the command line instead: tclose serve FILE.`;
    else choose(file, file.name);
  }

  const input = h("input", { type: "file", id: "file", on: { change: () => chosen(input.files[0]) } });
  const drop = h(
    "label",
    {
      class: "drop",
      for: "file",
      on: {
        dragover: (event) => { event.preventDefault(); drop.classList.add("over"); },
        dragleave: () => drop.classList.remove("over"),
        drop: (event) => { event.preventDefault(); drop.classList.remove("over"); chosen(event.dataTransfer.files[0]); },
      },
    },
    h("strong", {}, "Choose a file, or drop one here"),
    h("span", { class: "soft" }, "CSV, Parquet, JSON, Excel and others. It stays on this machine, in a private folder that is removed at the end."),
    input,
  );
  const named = state.words.named;
  const examples = state.words.examples.map((example) =>
    h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "card", "data-example": example.name, on: { click: () => choose({ example: example.name }, example.name) } },
        h("strong", {}, example.name),
        h("span", {}, example.description),
        h("span", { class: "soft" }, counted(example.rows, "row")),
      ),
    ),
  );
  redraw(
    root,
    h("h1", {}, "What does this table give away?"),
    h("p", { class: "lead" }, "See who could be recognised in a table, what would be learned of them, and make a release that keeps it to itself."),
    h("p", { class: "actions" }, state.table ? button(`Go on with ${visible(state.table.label)}`, opened, { class: "primary", id: "go-on" }) : null, named ? button(`Open ${visible(named.label)}`, () => choose({ named: true }, named.label), { class: state.table ? "quiet" : "primary" }) : null),
    drop,
    stage,
    problem,
    marks,
    h("h2", {}, "Or look at an example"),
    h("ul", { class: "examples" }, examples),
  );
  return root;
}
