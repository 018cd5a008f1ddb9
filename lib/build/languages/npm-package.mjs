// An npm package in a folder, with everything that jsii-pacmak reads.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filled } from "../../plugin/launcher/launcher-texts.cjs";
import { manifestOf, readJson, root, run } from "../project.mjs";

/**
 * Unpacks a tarball in `scratch`, and translates its examples.
 *
 * @returns the folder
 */
export function unpackPackage(tarball, scratch, { rosetta }) {
  const folder = mkdtempSync(join(scratch, "package-"));
  run("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "dir");
  const { types } = readJson(join(folder, ".jsii"));
  writeFixture(
    folder,
    Object.values(types).map(({ name }) => name),
  );
  rosetta(["extract", "--strict", folder]);
  rmSync(join(folder, "rosetta"), { recursive: true });
  return folder;
}

/**
 * The fixture in which examples are compiled. An example that does not compile there is an error.
 */
function writeFixture(folder, types) {
  const { name } = manifestOf(folder);
  const fixture = readFileSync(join(import.meta.dirname, "default.ts-fixture"), "utf8");
  mkdirSync(join(folder, "rosetta"));
  writeFileSync(
    join(folder, "rosetta/default.ts-fixture"),
    filled(fixture, {
      TYPES: types.join(", "),
      PACKAGE: name,
      FRAMEWORK: name.replace("-iam-tokens", ""),
    }),
  );
}
