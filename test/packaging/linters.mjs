// Other people's checks of a package.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { root, run } from "../../lib/build/project.mjs";
import { report } from "./problems.mjs";

export async function checkPublint(tarball) {
  const packed = tarball.entries.find(({ name }) => name === "package.json");
  const manifest = JSON.parse(packed.content.toString("utf8"));
  const bytes = readFileSync(tarball.path);
  const archive = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages } = await publint({ pack: { tarball: archive }, strict: true });
  report(
    messages.map(
      (message) => `${message.type}: ${formatMessage(message, manifest, { color: false })}`,
    ),
  );
}

export function checkTypes(tarball) {
  run(process.execPath, [
    join(root, "node_modules/@arethetypeswrong/cli/dist/index.js"),
    tarball.path,
    "--format",
    "ascii",
    "--no-emoji",
  ]);
}
