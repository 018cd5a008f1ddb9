import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { goPlatform } from "../../support/go-providers";

let built: string | undefined;

/** Puts the scenarios' consumer beside a stack. It is bundled once for a test file. */
export function installProductProvider(stackFolder: string): void {
  built ??= build();
  const target = join(stackFolder, "terraform.d/plugins/npm.invalid/scenarios/product/0.0.1", goPlatform());
  mkdirSync(target, { recursive: true });
  cpSync(built, target, { recursive: true });
}

/** Removes the bundle. */
export function removeProductProvider(): void {
  if (built !== undefined) rmSync(built, { recursive: true, force: true });
  built = undefined;
}

function build(): string {
  const folder = mkdtempSync(join(tmpdir(), "iam-product-"));
  buildSync({
    entryPoints: [join(__dirname, "main.ts")],
    bundle: true,
    platform: "node",
    target: "node20.18",
    format: "cjs",
    outfile: join(folder, "main.cjs"),
    logLevel: "silent",
  });
  const launcher = join(folder, "terraform-provider-product_v0.0.1");
  writeFileSync(launcher, '#!/bin/sh\nexec node "$(dirname "$0")/main.cjs"\n');
  chmodSync(launcher, 0o755);
  return folder;
}
