// docs/api/API.md, the reference of the public constructs: made by jsii-docgen from the jsii
// assembly, as CDK projects have it.

import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpackPackage } from "../../lib/build/languages/npm-package.mjs";
import { installTools } from "../../lib/build/languages/tools.mjs";
import { pageOf } from "../../lib/build/names.mjs";
import { packOne } from "../../lib/build/pack.mjs";

/** Its text, made anew. */
export async function makeReference() {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "reference-")));
  try {
    const tools = installTools();
    const folder = unpackPackage(await packOne(scratch), scratch, tools);
    tools.docgen([], { cwd: folder });
    const page = readFileSync(join(folder, "API.md"), "utf8")
      // A docstring's link to a page, which is next to this one.
      .replaceAll(`](${pageOf("")}`, "](../")
      .replaceAll(pageOf(""), "")
      .replaceAll(/[ \t]+$/gm, "")
      .replaceAll(/\n{3,}/g, "\n\n");
    return `${page.trim()}\n`;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
