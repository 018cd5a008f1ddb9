// The languages whose tools are on this machine.

import { spawnSync } from "node:child_process";

const TOOLS = {
  python: ["python3", "-m", "pip", "--version"],
  go: ["go", "version"],
  java: ["mvn", "-v"],
};

export const languagesHere = () =>
  Object.keys(TOOLS).filter((name) => {
    const [program, ...args] = TOOLS[name];
    return spawnSync(program, args).status === 0;
  });
