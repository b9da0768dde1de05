// A database: its address, its tables, and the one that is opened.

import { button, field, h, redraw, select } from "./dom.js";
import { post } from "./api.js";
import { counted, visible } from "./format.js";

const MANY = 12;

// The tables of a database, one of which is chosen.
export function tablePicker({ database, label, tables }, choose) {
  if (!tables.length) return h("p", { class: "problem", role: "alert" }, `${visible(label)} has no table that can be read.`);
  const list = select(tables.map((name) => [name, visible(name)]), tables[0], () => null, { id: "table-list", size: String(Math.max(2, Math.min(8, tables.length))) });
  const open = () => list.value && choose({ database, table: list.value }, list.value);
  list.addEventListener("dblclick", open);
  list.addEventListener("keydown", (event) => { if (event.key === "Enter") open(); });
  const search = h("input", { type: "search", id: "table-search", "aria-label": "Find a table", placeholder: "Find a table", on: { input: () => narrow() } });
  const narrow = () => {
    const found = tables.filter((name) => name.toLowerCase().includes(search.value.trim().toLowerCase()));
    list.replaceChildren(...found.map((name) => h("option", { value: name }, visible(name))));
    list.value = found[0] ?? "";
  };
  return h("div", { class: "picker", id: "picker" }, tables.length > MANY ? search : null, field(`${counted(tables.length, "table")} of ${visible(label)}`, list), h("p", { class: "actions" }, button("Open the table", open, { class: "primary", id: "table-open" })));
}

// The part of the start that asks for a database.
export function databaseForm(named, choose) {
  const place = h("div", {});
  const problem = h("p", { class: "problem", role: "alert" });
  const address = h("input", { type: "text", id: "database-address", autocomplete: "off", spellcheck: "false", placeholder: "postgresql://HOST/DATABASE", on: { keydown: (event) => { if (event.key === "Enter") list({ address: address.value }); } } });
  const list = async (asked) => {
    problem.textContent = "";
    place.setAttribute("aria-busy", "true");
    try {
      redraw(place, tablePicker(await post("/databases", asked), choose));
      document.getElementById("table-list")?.focus();
    } catch (error) {
      redraw(place);
      problem.textContent = visible(error.message);
    } finally {
      place.removeAttribute("aria-busy");
    }
  };
  if (named?.database) list({ named: true });
  return h(
    "details",
    { class: "database", id: "database", open: Boolean(named?.database) },
    h("summary", {}, "Or open a table of a database"),
    field("Address of a PostgreSQL database", address, "The password is taken from ~/.pgpass or PGPASSWORD where the address has none; it is kept in this process only. Rows stay in the database, and counts leave it. An SQLite file is dropped above."),
    h("p", { class: "actions" }, button("List its tables", () => list({ address: address.value }), { class: "quiet", id: "database-list" })),
    problem,
    place,
  );
}
