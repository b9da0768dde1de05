// Elements made from names and texts. A text becomes a text node, never markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "value" && "value" in element) element.value = value;
    else if (name === "checked") element.checked = Boolean(value);
    else if (name === "width%") element.style.width = `${value}%`;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  if (tag === "select") {
    const { value, ...others } = props ?? {};
    filled(element, others, children);
    if (value !== undefined) element.value = value;
    return element;
  }
  return filled(element, props, children);
}

export function svg(tag, props, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

// Draws a part of the page anew and leaves the focus where it was, with what is selected there.
export function redraw(container, ...children) {
  const active = document.activeElement;
  const id = container.contains(active) ? active.id : "";
  const selected = id && active.tagName === "INPUT" && active.type === "text" ? [active.selectionStart, active.selectionEnd] : null;
  container.replaceChildren(...children.flat(Infinity).filter(Boolean));
  const again = id ? document.getElementById(id) : null;
  if (again) {
    again.focus({ preventScroll: true });
    if (selected) again.setSelectionRange(...selected);
  }
}

export function say(text) {
  document.getElementById("live").textContent = text;
}

export function button(text, listener, props = {}) {
  return h("button", { type: "button", ...props, on: { click: listener } }, text);
}

// How a verdict is coloured: grey where it is out of date, amber where something must not be overlooked.
export const SIGNS = { pass: "✓ ", fail: "✗ ", qualified: "◐ ", undetermined: "? " };
export const verdictKind = (verdict, care, stale) => (stale ? "stale" : { pass: care.length ? "cares" : "holds", qualified: "cares", fail: "fails", undetermined: "fails" }[verdict] ?? "");

// What belongs to a verdict and must not be overlooked.
export const careful = (sentences) => sentences.map((sentence) => h("p", { class: "care" }, h("span", { "aria-hidden": "true" }, "⚠ "), sentence));

let labels = 0;

// A control below its name; a mark beside the name says what a word of it means.
export function field(label, control, hint, mark = null) {
  control.id ||= `field-${(labels += 1)}`;
  return h("div", { class: "field" }, h("div", { class: "named" }, h("label", { for: control.id }, label), mark), control, hint ? h("p", { class: "hint" }, hint) : null);
}

export function select(options, value, listener, props = {}) {
  const made = options.map(([key, text]) => h("option", { value: key }, text));
  return h("select", { ...props, value, on: { change: (event) => listener(event.target.value) } }, made);
}

export function later(wait, task) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => task(...given), wait);
  };
}

// A table whose cells stand below each other where there is little room, each with its title.
export function tabled(caption, titles, rows, about = () => null) {
  for (const row of rows) for (const [at, cell] of [...row.children].entries()) if (at) cell.dataset.title = titles[at];
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, h("table", { class: "wide stack" }, h("caption", {}, caption), h("thead", {}, h("tr", {}, titles.map((title) => h("th", { scope: "col" }, title, about(title))))), h("tbody", {}, rows)));
}
