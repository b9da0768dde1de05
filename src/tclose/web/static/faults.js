// Errors where they belong: at the field and the column that they are about, whichever work they came from.

import { withHint } from "./format.js";
import { listen, modelOf, state } from "./store.js";

// Does something whenever other errors are to be told.
export function onFaults(task) {
  const now = () => JSON.stringify([state.audit.error, state.failed]);
  let shown = now();
  const again = () => { if (now() !== shown) { shown = now(); task(); } };
  for (const topic of ["audit", "fields"]) listen(topic, again);
}

// Of several problems that came at once, each is told where it belongs.
const found = (fits) => [state.audit.error, state.failed].flatMap((error) => (error?.problems?.length ? error.problems : error ?? [])).find(fits);
const told = (fits) => { const error = found(fits); return error ? withHint(error) : ""; };

// What is wrong with the field of an option.
export function fieldFault({ fields }) {
  const error = found(({ field }) => fields.includes(field));
  return error ? withHint(error) : "";
}

// What is wrong with the threshold of a model for an attribute or, where that is null, for all.
export const thresholdFault = (key, attribute) => told(({ field, column }) => field === key && (attribute === null || column === null || column === attribute));

// What is wrong with a column; what is wrong with a threshold for it is said at the threshold.
export const columnFault = (name) => told(({ field, column }) => column === name && !modelOf(field));
