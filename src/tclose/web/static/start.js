// The start: an example, files or a folder of one's own, or a table of a database.

import { button, h, redraw, say } from "./dom.js";
import { bytes, counted, visible } from "./format.js";
import { databaseForm, tablePicker } from "./databases.js";
import { readingForm } from "./reading.js";
import { open, state } from "./store.js";

const MOST_FILES = 1000;
const pathOf = (file) => file.webkitRelativePath || file.name;

// All files of what was dropped, those in folders of it too.
async function filesBelow(entry) {
  if (entry.isFile) return [await new Promise((found, failed) => entry.file(found, failed))];
  const reader = entry.createReader();
  const inside = [];
  for (;;) {
    const some = await new Promise((found, failed) => reader.readEntries(found, failed));
    if (!some.length) return (await Promise.all(inside.filter(({ name }) => !/^[._]/.test(name)).map(filesBelow))).flat();
    inside.push(...some);
  }
}

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
      const database = await open(how, { told: (job) => { stage.textContent = job.stage ? `${job.stage}…` : ""; } });
      if (!database) opened();
      else {
        redraw(marks, tablePicker(database, choose));
        document.getElementById("table-list")?.focus();
        say(`${database.tables.length} tables`);
      }
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

  // One file, or several of one table; those that a folder hides are left out, those that a person names are not.
  function chosen(list, folder = "") {
    const files = [...list].filter((file) => !folder || !/^[._]/.test(file.name));
    if (!files.length) {
      if (list.length || folder) problem.textContent = "There is no file in it that could be a table.";
      return;
    }
    const most = state.words.largest_upload;
    const large = files.find((file) => file.size > most);
    if (large) problem.textContent = `The file has ${bytes(large.size)}; ${bytes(most)} are taken in. Name it on the command line instead: tclose serve FILE.`;
    else if (files.length > MOST_FILES) problem.textContent = `The folder has ${counted(files.length, "file")}; ${MOST_FILES} are taken in. Name it on the command line instead: tclose serve FOLDER.`;
    else choose({ files: files.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1)), folder: files.length > 1 ? folder || counted(files.length, "file") : "" }, files.length > 1 ? folder || counted(files.length, "file") : files[0].name);
  }

  async function dropped(event) {
    event.preventDefault();
    drop.classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const folder = entries.find((entry) => entry.isDirectory);
    chosen(folder ? (await Promise.all(entries.map(filesBelow))).flat() : event.dataTransfer.files, folder?.name);
  }

  const input = h("input", { type: "file", id: "file", multiple: true, on: { change: () => chosen(input.files) } });
  const below = h("input", { type: "file", id: "folder", webkitdirectory: true, class: "unseen", tabindex: "-1", "aria-label": "Folder", on: { change: () => chosen(below.files, below.files[0]?.webkitRelativePath.split("/")[0]) } });
  const drop = h(
    "label",
    {
      class: "drop",
      for: "file",
      on: {
        dragover: (event) => { event.preventDefault(); drop.classList.add("over"); },
        dragleave: () => drop.classList.remove("over"),
        drop: dropped,
      },
    },
    h("strong", {}, "Choose a file, or drop a file or a folder here"),
    h("span", { class: "soft" }, "CSV, Parquet, JSON, Excel, SQLite and others; several files, or a folder of them, are one table. They stay on this machine, in a private folder that is removed at the end."),
    input,
  );
  const folders = h("p", { class: "actions" }, button("Choose a folder…", () => below.click(), { class: "quiet", id: "folder-choose" }), below);
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
    h("p", { class: "actions" }, state.table ? button(`Go on with ${visible(state.table.label)}`, opened, { class: "primary", id: "go-on" }) : null, named && !named.database ? button(`Open ${visible(named.label)}`, () => choose({ named: true }, named.label), { class: state.table ? "quiet" : "primary" }) : null),
    drop,
    folders,
    stage,
    problem,
    marks,
    databaseForm(named, choose),
    h("h2", {}, "Or look at an example"),
    h("ul", { class: "examples" }, examples),
  );
  return root;
}
