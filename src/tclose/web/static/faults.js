// Errors where they belong: at the field that they are about, in the words of the page.

import { state } from "./store.js";

const THRESHOLD = /^(?:The threshold of )?([a-z_]+)(?:\([^)]*\))? (?:must|needs)/;
const WORDS = [
  [/^\[release\] suppress/, "The share of rows that may be left out"],
  [/ Give one(?: for each)?, 'Generalised' of the column.*$/, " Open the column, and choose how it is generalised."],
  [/^\[(policy|release)\] /, ""],
];

// An error as the page says it: without the words of files and commands.
export const plainly = (message) => WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), message);

// What is wrong with the threshold of a model, as the last audit was told.
export function thresholdFault(key) {
  const { error } = state.audit;
  return error?.kind === "ThresholdError" && THRESHOLD.exec(error.message)?.[1] === key ? error.message : "";
}

export const populationFault = () => (/population/i.test(state.audit.error?.message ?? "") ? state.audit.error.message : "");

// What is wrong with a column, by its name in quotes.
export const columnFault = (name) => (state.audit.error?.kind !== "ThresholdError" && state.audit.error?.message.includes(`'${name}'`) ? plainly(state.audit.error.message) : "");
