// How numbers, cells and class keys are shown. Numbers come from the library; here they are only written down.

const MISLEADING = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

export function visible(text) {
  return String(text).replace(MISLEADING, (letter) => `\\u{${letter.codePointAt(0).toString(16)}}`);
}

// Letters that are written from the right are kept from turning round what stands beside them.
const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const isolated = (text) => (FROM_THE_RIGHT.test(text) ? `\u2068${text}\u2069` : text);

// A value or a name as it is shown: nothing hidden, and no more of it than a person reads.
export function shown(text, most = 80) {
  const letters = String(text);
  return isolated(visible(letters.length > most ? `${letters.slice(0, most - 1)}…` : letters));
}

// A sentence in which no word is longer than a person reads.
export function readable(sentence) {
  return visible(String(sentence).replace(/\S{81,}/gu, (word) => `${word.slice(0, 79)}…`));
}

// A note or an error: what there is to know, and what to do.
export const withHint = ({ text, message, hint }) => visible([text ?? message, hint].filter(Boolean).join(" "));

export function cell(value) {
  if (value === null || value === undefined) return "∅";
  return value === "" ? '""' : shown(value);
}

export function number(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return value === "Infinity" ? "∞" : value;
  if (Number.isInteger(value)) return value.toLocaleString("en");
  if (value !== 0 && Math.abs(value) < 0.001) return value.toPrecision(2);
  return value.toFixed(4).replace(/\.?0+$/, "");
}

// How a model's figure stands to its threshold.
export const sign = ({ good, strict }) => ({ high: ["≥", ">"], low: ["≤", "<"] })[good][Number(strict)];

// A figure of the library: its value, and its fraction where it has one that people can read.
export function figure(found) {
  if (!found) return "–";
  if (found.infinite) return "∞";
  return number(found.value);
}

export function fraction(found) {
  return found?.exact && found.exact.length <= 21 && found.exact !== number(found.value) ? found.exact : "";
}

export function both(found) {
  const exact = fraction(found);
  return exact ? `${figure(found)} (${exact})` : figure(found);
}

export function percent(share) {
  if (share === null || share === undefined) return "–";
  if (share > 0 && share < 0.001) return "under 0.1 %";
  if (share < 1 && share > 0.999) return "over 99.9 %";
  return `${(100 * share).toFixed(1).replace(/\.0$/, "")} %`;
}

export function counted(count, noun, plural = `${noun}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

export function keyText(key) {
  const parts = Object.entries(key ?? {}).map(([name, value]) => `${shown(name, 40)} ${cell(value)}`);
  return parts.join(", ") || "the whole table";
}

// What an error is called: where the server is gone, or another than before, that is what happened.
export function titleOf({ kind, status }, usual) {
  if (kind === "Unreachable") return "The server is gone";
  return status === 403 ? "The server was started again" : usual;
}

export function bytes(count) {
  const units = ["bytes", "kB", "MB", "GB"];
  let at = 0;
  while (count >= 1000 && at < 3) {
    count /= 1000;
    at += 1;
  }
  return `${count.toFixed(at ? 1 : 0)} ${units[at]}`;
}
