import { mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { stillRunning } from "../support/processes";
import { packageRoot } from "../support/project";
import { makeScratch } from "../support/scratch";
import { terraformEnvironment } from "../support/terraform";
import { GONE_MS } from "./left-behind";
import { execute, type Machine } from "./machine";

/** This machine, with another Node.js or Terraform than the tests' own. */
export function onThisMachine(
  node: string,
  terraform: string,
  path = [dirname(node), "/usr/bin", "/bin"].join(delimiter),
): Machine {
  const scratch = makeScratch();
  const work = join(scratch.folder, "work");
  mkdirSync(work);
  const run =
    (command: readonly [string, ...string[]]): Machine["terraform"] =>
    (folder, args, more) => {
      const [file, ...first] = command;
      // On Windows, no program starts with an empty environment.
      const base = process.platform === "win32" ? process.env : {};
      const env = { ...base, ...terraformEnvironment(scratch), PATH: path, ...more };
      return execute(file, [...first, ...args], { cwd: folder, env, work });
    };
  return {
    work,
    pathThere: (there) => there,
    terraform: run([terraform]),
    attached: run([node, join(packageRoot, "dist/cli/main.js"), "run", "--quiet", "--", terraform]),
    marker: scratch.marker,
    close: async () => {
      // A server of the hand-over may still be removing its files.
      await stillRunning(scratch.marker, GONE_MS);
      scratch.remove();
    },
  };
}
