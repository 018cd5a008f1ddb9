// Settings for the launchers of all platforms.

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Passes NODE_EXTRA_CA_CERTS on: TLS connections read this variable. */
export const EXTRA_CA_VARIABLE = "IAM_TOKENS_EXTRA_CA_CERTS";

/** The oldest Node.js that runs the provider. */
export const minimumNode = ({ engines }) => engines.node.replace(">=", "");

/** The variables that are removed for Node.js, and its arguments. */
export function launcherLists(root) {
  const listIn = (file) =>
    JSON.parse(readFileSync(join(root, "lib/plugin/launcher", file), "utf8"));
  return {
    removedVariables: listIn("removed-variables.json"),
    nodeArguments: listIn("node-arguments.json"),
  };
}
