// Repair: levels by hand, a release by search, what other thresholds would cost, and what attackers learn.

import { h } from "./dom.js";
import { attackPanel } from "./attack.js";
import { levelsPanel } from "./levels.js";
import { releasePanel } from "./release.js";
import { frontierPanel } from "./frontier.js";

export function repairPanel() {
  return h("div", { class: "repair" }, levelsPanel(), releasePanel(), h("div", { class: "stacked" }, frontierPanel(), attackPanel()));
}
