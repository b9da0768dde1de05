// Words that may not be known: each with a button that opens its meaning.

import { h } from "./dom.js";
import { state } from "./store.js";

let opened = 0;

// A mark beside a word that opens what it means; the words of the glossary, or a meaning that is given.
export function meaning(word, text = state.words.glossary[word]) {
  if (!text) return null;
  const id = `meaning-${(opened += 1)}`;
  const note = h("span", { id, popover: "auto", class: "meaning" }, h("strong", {}, word), `: ${text}`);
  const mark = h("button", { type: "button", class: "term", popovertarget: id, "aria-label": `What is ${word}?` }, "?");
  note.addEventListener("beforetoggle", (event) => {
    if (event.newState !== "open") return;
    const place = mark.getBoundingClientRect();
    note.style.left = `${Math.max(8, Math.min(place.left, innerWidth - 330))}px`;
    note.style.top = `${Math.min(place.bottom + 4, innerHeight - 120)}px`;
  });
  return [mark, note];
}
