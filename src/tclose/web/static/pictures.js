// Pictures that the server describes element by element; their rules are those of figures.css.

import { h, svg } from "./dom.js";

const built = ([tag, props, ...inside]) => svg(tag, props, inside.map((part) => (typeof part === "string" ? part : built(part))));

export function drawn({ element }, name) {
  const picture = built(element);
  picture.classList.add(name);
  return picture;
}

// A picture in a frame that is scrolled where there is little room.
export const framed = (picture, label) => h("div", { class: "scroll picture", tabindex: "0", role: "region", "aria-label": label }, picture);

// Makes the parts of a picture that can be chosen buttons, for the mouse and for the keyboard; by their titles, or labels.
export function pickable(picture, label, pick) {
  picture.setAttribute("role", "group");
  for (const part of picture.querySelectorAll(".tc-pick")) {
    part.setAttribute("role", "button");
    part.setAttribute("tabindex", "0");
    if (label) part.setAttribute("aria-label", label(part));
    part.addEventListener("click", () => pick(part.dataset));
    part.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      pick(part.dataset);
    });
  }
  return picture;
}

// The words that a part of a picture says of itself.
export const titleOf = (part) => part.querySelector("title")?.textContent ?? "";
