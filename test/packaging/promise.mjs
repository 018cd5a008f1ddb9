// test/compatibility/api.json and hcl.json: what the last release has promised, with which later
// ones are compared (docs/compatibility.md). `npm run docs -- --promise` renews them for a release.

import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tsImport } from "tsx/esm/api";
import { packBoth } from "../../lib/build/pack.mjs";
import { readTarball } from "./tarball.mjs";

/** What jsii-diff reads of an assembly. */
const PARTS = [
  ...["schema", "name", "version", "jsiiVersion", "license", "author", "repository", "homepage"],
  ...["description", "targets", "dependencies", "types", "fingerprint"],
];

export async function writePromise(root) {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "promise-")));
  try {
    const [tarball] = packBoth(scratch);
    const packed = readTarball(tarball).entries.find(({ name }) => name === ".jsii");
    const assembly = JSON.parse(packed.content.toString("utf8"));
    write(
      "api.json",
      Object.fromEntries(PARTS.map((part) => [part, withoutWords(assembly[part])])),
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { contractOf } = await tsImport("../compatibility/promise.ts", import.meta.url);
  const { createIamProvider } = await tsImport(
    "../../lib/provider/iam-provider.ts",
    import.meta.url,
  );
  const { ERROR_CODES } = await tsImport("../../lib/tokens/error-codes.ts", import.meta.url);
  write("hcl.json", {
    version,
    codes: Object.keys(ERROR_CODES),
    contract: contractOf(createIamProvider({})),
  });

  function write(name, value) {
    const lines = JSON.stringify(value, null, 1);
    writeFileSync(join(root, "test/compatibility", name), `${lines}\n`);
  }
}

/** Without descriptions and places in the sources, which no program relies on. */
function withoutWords(value) {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !["locationInModule", "symbolId"].includes(key))
      .map(([key, inner]) => [
        key,
        key === "docs"
          ? Object.fromEntries(Object.entries(inner).filter(([name]) => /^(stab|dep)/.test(name)))
          : withoutWords(inner),
      ]),
  );
}
