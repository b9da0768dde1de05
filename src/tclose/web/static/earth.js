// The picture of the earth being moved: columns that hold what the class holds, outlines of what the table holds,
// and a block that goes from one to the other. It draws what the server says; it adds nothing up.

import { h, svg } from "./dom.js";
import { shown } from "./format.js";

const TALL = 170;
const TOP = 96;
const FOOT = 64;
const EDGE = 14;
let pictures = 0;

export function earthFigure(told) {
  const { columns, steps } = told;
  const pitch = Math.max(34, Math.min(72, 880 / columns.length));
  const bar = Math.min(46, pitch * 0.66);
  const slanted = columns.some((column) => column.label.length * 7 > pitch);
  const left = slanted ? 5.5 * EDGE : EDGE;
  const width = left + EDGE + pitch * columns.length;
  const floor = TOP + TALL;
  const most = Math.max(...columns.map((column) => Math.max(column.class.value, column.reference.value)), 1e-9);
  const tall = (share) => (share / most) * TALL;
  const middle = (at) => left + pitch * (at + 0.5);
  const mark = `earth-${(pictures += 1)}`;

  const bars = columns.map((_, at) => svg("rect", { class: "tc-stay earth-bar", x: middle(at) - bar / 2, width: bar, "data-column": at }));
  const shares = columns.map((_, at) => svg("text", { class: "tc-small", x: middle(at), y: floor + 15, "text-anchor": "middle" }));
  const holes = columns.map((column, at) => {
    const high = tall(column.reference.value);
    return svg("rect", { class: "tc-hole", x: middle(at) - bar / 2 - 3, y: floor - high, width: bar + 6, height: high });
  });
  const labels = columns.map((column, at) => {
    const place = slanted ? { transform: `translate(${middle(at) + 4} ${floor + 30}) rotate(-32)`, "text-anchor": "end" } : { x: middle(at), y: floor + 33, "text-anchor": "middle" };
    return svg("text", place, svg("title", {}, shown(column.label, 400)), shown(column.label, 18));
  });
  const way = svg("path", { class: "tc-move", d: "", "stroke-dasharray": "5 4" });
  const head = svg("path", { class: "tc-head", d: "" });
  const block = svg("rect", { class: "tc-leave", fill: `url(#${mark})`, width: bar, height: 0 });
  const name = svg("text", { class: "tc-strong tc-halo tc-told", "text-anchor": "middle" });
  const pattern = svg("pattern", { id: mark, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, svg("rect", { class: "tc-hatch-ground", width: 7, height: 7 }), svg("line", { class: "tc-hatch-line", x1: 0, y1: 0, x2: 0, y2: 7 }));
  const high = floor + FOOT + (slanted ? 56 : 0);
  const picture = svg(
    "svg",
    { class: "tclose-figure earth", viewBox: `0 0 ${width} ${high}`, width, height: high, role: "img", "aria-label": `The class and the table over ${columns.length} columns; the moves are listed below.` },
    svg("defs", {}, pattern),
    svg("rect", { class: "tc-paper", width, height: high }),
    bars, holes, way, head, block, name,
    svg("line", { class: "tc-axis", x1: left - 4, x2: width - EDGE + 4, y1: floor, y2: floor }),
    shares, labels,
  );

  // What every column holds after so many moves.
  const held = (upTo) => {
    const found = columns.map((column) => column.class);
    for (const step of steps.slice(0, upTo)) {
      found[step.from] = step.from_holds;
      found[step.to] = step.to_holds;
    }
    return found;
  };

  function rest(at) {
    held(at).forEach((share, column) => set(column, share));
    for (const part of [way, head]) part.setAttribute("d", "");
    block.setAttribute("height", "0");
    name.textContent = "";
    if (at > 0) drawWay(steps[at - 1]);
  }

  let standing = columns.map((column) => column.class);

  function set(column, share) {
    standing[column] = share;
    const size = tall(share.value);
    bars[column].setAttribute("y", floor - size);
    bars[column].setAttribute("height", size);
    bars[column].dataset.share = share.exact;
    shares[column].textContent = share.exact.length * 6.6 <= pitch ? share.exact : shortly(share.value);
  }

  function curve(step) {
    const [x1, x2] = [middle(step.from), middle(step.to)];
    const y1 = floor - tall(step.from_holds.value) - tall(step.mass.value) / 2;
    const y2 = floor - tall(step.to_holds.value) + tall(step.mass.value) / 2;
    const [low, high] = [Math.min(step.from, step.to), Math.max(step.from, step.to)];
    const tops = columns.slice(low, high + 1).map((column, place) => floor - tall(Math.max(standing[low + place].value, column.reference.value)));
    const apex = Math.max(24, Math.min(...tops, y1, y2) - 22 - Math.min(36, 5 * (high - low)));
    return { x1, y1, x2, y2, y: (8 * apex - y1 - y2) / 6 };
  }

  function drawWay(step) {
    const { x1, y1, x2, y2, y } = curve(step);
    way.setAttribute("d", `M${x1},${y1} C${x1},${y} ${x2},${y} ${x2},${y2}`);
    head.setAttribute("d", `M${x2},${y2}L${x2 - 4},${y2 - 8}L${x2 + 4},${y2 - 8}Z`);
    name.textContent = step.name ? `${step.name}: ${fitted(step)}` : fitted(step);
    name.setAttribute("x", Math.max(40, Math.min(width - 40, (x1 + x2) / 2)));
    name.setAttribute("y", Math.max(14, (y1 + y2 + 6 * y) / 8 - 7));
    frame.scrollLeft = ((x1 + x2) / 2 / width) * picture.clientWidth - frame.clientWidth / 2;
  }

  // Shows the block on its way: 0 is where it leaves, 1 where it lies.
  function between(at, part) {
    const step = steps[at];
    const before = held(at);
    before.forEach((share, column) => set(column, share));
    set(step.from, step.from_holds);
    drawWay(step);
    const { x1, y1, x2, y2, y } = curve(step);
    const [a, b, c, d] = [(1 - part) ** 3, 3 * part * (1 - part) ** 2, 3 * part ** 2 * (1 - part), part ** 3];
    const size = tall(step.mass.value);
    block.setAttribute("x", a * x1 + b * x1 + c * x2 + d * x2 - bar / 2);
    block.setAttribute("y", a * y1 + b * y + c * y + d * y2 - size / 2);
    block.setAttribute("height", size);
  }

  picture.style.maxWidth = `${width}px`;
  picture.style.minWidth = `${columns.length * pitch * 0.75}px`;
  const frame = h("div", { class: "scroll earth-scroll", tabindex: "0", role: "region", "aria-label": "Figure" }, picture);
  rest(0);
  return { element: frame, rest, between };
}

const shortly = (value) => value.toFixed(3).replace(/\.?0+$/, "");
const fitted = (step) => (step.mass.exact.length <= 15 ? step.mass.exact : shortly(step.mass.value));
