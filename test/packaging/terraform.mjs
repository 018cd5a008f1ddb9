// What `npm run pack -- terraform` makes for registries and mirrors.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { filesUnder } from "../../lib/build/dist-folder.mjs";
import { readJson } from "../../lib/build/project.mjs";
import { packTerraform } from "../../lib/build/terraform.mjs";
import { report } from "./problems.mjs";

/** The checksums name every other file, with its hash; the mirror has the same archives. */
export function checkTerraform(folder) {
  packTerraform(folder);
  const registry = join(folder, "registry");
  const names = readdirSync(registry).sort();
  const hashOf = (path) => createHash("sha256").update(readFileSync(path)).digest("hex");
  const sums = names.find((name) => name.endsWith("_SHA256SUMS"));
  const listed = readFileSync(join(registry, sums), "utf8");
  const others = names.filter((name) => name !== sums);
  const expected = others.map((name) => `${hashOf(join(registry, name))}  ${name}\n`).join("");
  const archives = others.filter((name) => name.endsWith(".zip"));
  const mirrored = filesUnder(join(folder, "mirror")).filter((path) => path.endsWith(".zip"));
  const manifest = others.find((name) => name.endsWith("_manifest.json"));
  const { metadata } = readJson(join(registry, manifest));
  report([
    ...(listed === expected ? [] : [`${sums} is not:\n${expected}`]),
    ...(archives.length === 5 ? [] : [`There are ${archives.length} archives.`]),
    ...(mirrored.every((path) => listed.includes(hashOf(path))) ? [] : ["The mirror differs."]),
    ...(metadata.protocol_versions.join() === "6.0" ? [] : [`${manifest} names no protocol 6.0.`]),
  ]);
  return archives.join(", ");
}
