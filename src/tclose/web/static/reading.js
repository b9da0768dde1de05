// How a text file is read: its first lines, and the marks that a person chooses where those found in it are wrong.

import { button, field, h, redraw, select } from "./dom.js";
import { get } from "./api.js";
import { visible } from "./format.js";
import { readAnew } from "./store.js";

const FOUND = ["", "as found in the file"];
const CHOICES = {
  delimiter: ["Between two cells", [FOUND, [",", "comma"], [";", "semicolon"], ["tab", "tab"], ["|", "bar |"], [" ", "space"]]],
  quote: ["Around cells", [FOUND, ['"', 'quotes "'], ["'", "apostrophes '"], ["none", "nothing"]]],
  encoding: ["Letters", [FOUND, ["utf-8", "UTF-8"], ["windows-1252", "Windows-1252 (Western Europe)"], ["iso-8859-1", "ISO 8859-1"], ["utf-16", "UTF-16"]]],
  decimal: ["Decimal mark", [FOUND, [".", "point"], [",", "comma"]]],
  header: ["The first line", [FOUND, ["true", "names the columns"], ["false", "is a row like the others"]]],
};

// Words with commas between them; one that has a comma itself stands in quotes.
const WORD = /\s*(?:"((?:[^"]|"")*)"|([^,"][^,]*))\s*(?:,|$)/g;
const words = (text) => [...text.matchAll(WORD)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain.trim()).filter(Boolean);
const written = (word) => (/[,"]|^\s|\s$/.test(word) ? `"${word.replaceAll('"', '""')}"` : word);

// What the server takes: what is left to be found is null.
const asked = (chosen) => ({
  ...Object.fromEntries(Object.entries(chosen).map(([mark, word]) => [mark, word || null])),
  quote: chosen.quote === "none" ? "" : chosen.quote || null,
  header: chosen.header ? chosen.header === "true" : null,
  null: words(chosen.null),
});

function wordOf(mark, told) {
  const value = told[mark];
  if (value === null) return "";
  return { "\t": "tab", "": "none" }[value] ?? String(value);
}

export function readingForm(table, done) {
  const body = h("div", { class: "reading-form" });
  const problem = h("p", { class: "problem", role: "alert" });
  const chosen = {};
  const again = async () => {
    problem.textContent = "";
    body.setAttribute("aria-busy", "true");
    try {
      await readAnew(table, asked(chosen));
      done();
    } catch (error) {
      problem.textContent = visible(error.message);
      show();
    } finally {
      body.removeAttribute("aria-busy");
    }
  };
  async function show() {
    const told = await get(`/tables/${table.id}/reading`).catch(() => null);
    if (!told) return;
    const pick = ([mark, [label, options]]) => {
      chosen[mark] = wordOf(mark, told);
      const known = options.some(([key]) => key === chosen[mark]) ? options : [...options, [chosen[mark], visible(chosen[mark])]];
      return field(label, select(known, chosen[mark], (word) => { chosen[mark] = word; }, { id: `reading-${mark}` }));
    };
    const missing = ({ null: known }) => {
      chosen.null = known.map(written).join(", ");
      const entry = h("input", { type: "text", id: "reading-null", placeholder: "NA, ?", autocomplete: "off", spellcheck: "false", value: chosen.null, on: { input: () => { chosen.null = entry.value; } } });
      return field("Missing, besides empty cells", entry, "Words for a value that is not known, with commas between them; one that has a comma stands in quotes.");
    };
    redraw(
      body,
      h("h2", { id: "reading-title" }, "How the file is read"),
      told.sample ? [h("p", { class: "hint" }, `The first lines of ${visible(table.label)}; → is a tab`), h("pre", { class: "lines", tabindex: "0", role: "region", "aria-label": "The first lines" }, told.sample.map((line) => `${visible(line.slice(0, 400).replaceAll("\t", "→"))}\n`).join(""))] : h("p", { class: "hint" }, "The file is packed: its lines are not shown."),
      h("div", { class: "settings" }, Object.entries(CHOICES).map(pick), missing(told)),
      problem,
      h("p", { class: "actions" }, button("Read it so", again, { class: "primary", id: "reading-again" })),
    );
  }
  show();
  return body;
}

// The same on the workbench; reading anew begins from the suggestions, and says so first.
export function askReading(table, done) {
  const dialog = h("dialog", { class: "ask reading", "aria-labelledby": "reading-title" });
  const close = () => dialog.close();
  dialog.append(readingForm(table, () => { close(); done(); }), h("p", { class: "hint" }, "Reading it anew begins with suggested roles again."), h("p", { class: "actions" }, button("Leave it as it is", close, { class: "quiet", id: "reading-close" })));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
