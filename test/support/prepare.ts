// Builds the third-party programs that tests use: no test has to wait for a compiler.
//   node --import tsx test/support/prepare.ts providers
//   node --import tsx test/support/prepare.ts opentofu
//   node --import tsx test/support/prepare.ts cdktn
//   node --import tsx test/support/prepare.ts package-managers
import { hasGo } from "./go-build";
import { buildGoClient, GO_CLIENTS } from "./go-clients";
import { builtProvider } from "./go-providers";
import { buildOpenTofu } from "./open-tofu";
import { installPackageManager } from "./package-managers";
import { installCdktn } from "./terrain";

async function main(wanted: readonly string[]): Promise<void> {
  // Tests skip programs that are not available here, and report it.
  if (wanted.includes("cdktn"))
    await timed("cdktn-cli", installCdktn).catch((error: unknown) =>
      console.log(`cdktn: ${error}`),
    );
  if (wanted.includes("package-managers")) {
    for (const name of ["pnpm", "yarn"] as const)
      await timed(name, () => installPackageManager(name)).catch((error: unknown) =>
        console.log(`${name}: ${error}`),
      );
  }
  if (!["providers", "opentofu"].some((name) => wanted.includes(name))) return;
  if (!hasGo()) {
    console.log("There is no Go here: tests that need programs built with it are skipped.");
    return;
  }
  if (wanted.includes("providers")) {
    for (const name of ["null", "http"] as const)
      await timed(`hashicorp/${name}`, () => builtProvider(name));
    // Not every module proxy has them: their tests are then skipped.
    for (const name of GO_CLIENTS)
      await timed(name, () => buildGoClient(name)).catch((error: unknown) =>
        console.log(`${name}: ${error}`),
      );
  }
  if (wanted.includes("opentofu")) await timed("OpenTofu", buildOpenTofu);
}

async function timed(name: string, build: () => Promise<string>): Promise<void> {
  const started = performance.now();
  await build();
  console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

void main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
