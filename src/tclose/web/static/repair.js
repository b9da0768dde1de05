// Repair: levels by hand, a release by search, and what other thresholds would cost.

import { h } from "./dom.js";
import { levelsPanel } from "./levels.js";
import { releasePanel } from "./release.js";
import { frontierPanel } from "./frontier.js";

export function repairPanel() {
  return h("div", { class: "repair" }, levelsPanel(), releasePanel(), frontierPanel());
}
