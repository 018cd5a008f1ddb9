import { delimiter, dirname, join } from "node:path";
import { packageRoot } from "../support/project";
import { terraformEnvironment } from "../support/terraform";
import { emptyMachine, execute, type Machine } from "./machine";

/** This machine, with another Node.js or Terraform than the tests' own. */
export function onThisMachine(
  node: string,
  terraform: string,
  path = [dirname(node), "/usr/bin", "/bin"].join(delimiter),
): Machine {
  const { scratch, ...machine } = emptyMachine();
  const run =
    (command: readonly [string, ...string[]]): Machine["terraform"] =>
    (folder, args, more) => {
      const [file, ...first] = command;
      // On Windows, no program starts with an empty environment.
      const base = process.platform === "win32" ? process.env : {};
      const env = { ...base, ...terraformEnvironment(scratch), PATH: path, ...more };
      return execute(file, [...first, ...args], { cwd: folder, env });
    };
  return {
    ...machine,
    pathThere: (there) => there,
    terraform: run([terraform]),
    attached: run([node, join(packageRoot, "dist/cli/main.js"), "run", "--quiet", "--", terraform]),
  };
}
