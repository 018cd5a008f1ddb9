// The page of a package in its language's registry. rosetta has translated its TypeScript lines
// without their imports, and not all of its Go compiles: a program of docs/languages, which a test
// runs, replaces them.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { edit } from "../project.mjs";

/**
 * @param path the generated README.md
 * @param folder the npm package, unpacked
 * @param language its name in fences
 * @param name the program's
 */
export function printProgram(path, folder, language, name) {
  const program = readFileSync(join(folder, "docs/languages", name), "utf8");
  const fenced = new RegExp(`^\`\`\`${language}\\n[\\s\\S]*?^\`\`\`$`, "m");
  edit(path, (text) => text.replace(fenced, () => `\`\`\`${language}\n${program}\`\`\``));
}
