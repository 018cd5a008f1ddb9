// The page of a package in its language's registry. rosetta has translated its TypeScript lines
// without their imports, and not all of its Go compiles: the program in our docs, which a test
// runs, replaces them.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @param path the generated README.md
 * @param folder the npm package, unpacked
 * @param page the page of docs, by its name
 * @param language its name in fences; the first block that begins a program is used
 */
export function printProgram(path, folder, page, language) {
  const text = readFileSync(join(folder, `docs/${page}.md`), "utf8");
  const program = fenced(language).exec(text)?.[0];
  const readme = readFileSync(path, "utf8");
  const changed = program && readme.replace(fenced(language), () => program);
  if (!changed || changed === readme) throw new Error(`${path} shows no program in ${language}.`);
  writeFileSync(path, changed);
}

const fenced = (language) => new RegExp(`^\`\`\`${language}\\n[\\s\\S]*?^\`\`\`$`, "m");
