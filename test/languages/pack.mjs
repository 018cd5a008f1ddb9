// Packs the languages whose tools are here; the tests of the others are skipped, and named.

import { spawnSync } from "node:child_process";

const TOOLS = {
  python: ["python3", "-m", "pip", "--version"],
  go: ["go", "version"],
  java: ["mvn", "-v"],
};

const here = Object.keys(TOOLS).filter((name) => {
  const [program, ...args] = TOOLS[name];
  return spawnSync(program, args).status === 0;
});
process.argv.splice(2, process.argv.length, ...here);
if (here.length > 0) await import("../../lib/pack.mjs");
