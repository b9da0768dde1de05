// Errors where they belong: at the field and the column that they are about.

import { modelOf, state } from "./store.js";

const POPULATION = ["population", "population_size", "sampling_fraction", "weight_column"];

const told = (fits) => (state.audit.error && fits(state.audit.error) ? state.audit.error.message : "");

// What is wrong with the threshold of a model for an attribute or, where that is null, for all.
export const thresholdFault = (key, attribute) => told(({ field, column }) => field === key && (attribute === null || column === null || column === attribute));

export const populationFault = () => told(({ field }) => POPULATION.includes(field));

// What is wrong with a column; what is wrong with a threshold for it is said at the threshold.
export const columnFault = (name) => told(({ field, column }) => column === name && !modelOf(field));
