import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { goPlatform } from "../support/go-providers";

/** The providers that the scenarios have of their own, each a folder, served by the plugin room. */
export type LocalProvider = "product" | "store";

export const LOCAL_VERSION = "0.0.1";
export const sourceOf = (name: LocalProvider): string => `npm.invalid/scenarios/${name}`;

const built = new Map<"store", string>();

/** Puts the store beside a stack, to be launched. It is bundled once for a test file. */
export function installLocalProvider(name: "store", stackFolder: string): void {
  const bundle = built.get(name) ?? build(name);
  built.set(name, bundle);
  const target = join(
    stackFolder,
    "terraform.d/plugins",
    sourceOf(name),
    LOCAL_VERSION,
    goPlatform(),
  );
  mkdirSync(target, { recursive: true });
  cpSync(bundle, target, { recursive: true });
}

/** Removes the bundles. */
export function removeLocalProviders(): void {
  for (const folder of built.values()) rmSync(folder, { recursive: true, force: true });
  built.clear();
}

function build(name: "store"): string {
  const folder = mkdtempSync(join(tmpdir(), `iam-${name}-`));
  buildSync({
    entryPoints: [join(__dirname, name, "main.ts")],
    bundle: true,
    platform: "node",
    target: "node20.18",
    format: "cjs",
    outfile: join(folder, "main.cjs"),
    logLevel: "silent",
  });
  const launcher = join(folder, `terraform-provider-${name}_v${LOCAL_VERSION}`);
  writeFileSync(launcher, '#!/bin/sh\nexec node "$(dirname "$0")/main.cjs"\n');
  chmodSync(launcher, 0o755);
  return folder;
}
