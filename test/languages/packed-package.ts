import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { succeed } from "../support/command";
import { packageRoot } from "../support/project";
import type { Framework } from "../support/terrain";

/** jsii's tools, if something was packed. */
export const TOOLS = join(packageRoot, "node_modules/.cache/languages/node_modules");

/** Packs both packages into a folder, as npm gets them. */
export async function packInto(folder: string): Promise<void> {
  const pack = `import { packBoth } from "./lib/build/pack.mjs"; await packBoth(${JSON.stringify(folder)})`;
  await succeed(process.execPath, ["--input-type=module", "-e", pack], packageRoot);
}

/** Unpacks the package for a framework from there to a path in that folder. */
export async function unpack(folder: string, framework: Framework, path: string): Promise<void> {
  mkdirSync(join(folder, path), { recursive: true });
  const script = 'tar -xzf "$1"-iam-tokens-*.tgz --strip-components=1 -C "$2"';
  await succeed("sh", ["-c", script, "sh", framework, path], folder);
}

/** Gives a package its peers, as npm would lay them out. */
export function linkPeers(home: string, framework: Framework): void {
  mkdirSync(join(home, "node_modules"), { recursive: true });
  for (const name of [framework, "constructs"])
    symlinkSync(join(packageRoot, "node_modules", name), join(home, "node_modules", name));
}
