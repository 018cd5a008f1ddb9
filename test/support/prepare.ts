// Builds what the tests use of other people's programs, so that no test has to wait for a compiler:
//   node --import tsx test/support/prepare.ts providers
//   node --import tsx test/support/prepare.ts opentofu
//   node --import tsx test/support/prepare.ts kit-linters
import { hasGo } from "./go-build";
import { builtProvider } from "./go-providers";
import { buildKitLinter, type KitLinterName } from "./kit-linters";
import { buildOpenTofu } from "./open-tofu";

async function main(wanted: readonly string[]): Promise<void> {
  if (wanted.includes("kit-linters")) await kitLinters();
  if (!hasGo()) {
    console.log("There is no Go here: tests that need programs built with it are skipped.");
    return;
  }
  if (wanted.includes("providers")) {
    for (const name of ["null", "http"] as const)
      await timed(`hashicorp/${name}`, () => builtProvider(name));
  }
  if (wanted.includes("opentofu")) await timed("OpenTofu", buildOpenTofu);
}

/** What cannot be had here is missing in the tests, which are then skipped by name. */
async function kitLinters(): Promise<void> {
  const names: readonly KitLinterName[] = [
    "check-jsonschema",
    ...(hasGo() ? (["actionlint", "kubectl-validate"] as const) : []),
  ];
  for (const name of names) {
    await timed(name, () => buildKitLinter(name)).catch((error: unknown) =>
      console.log(`${name}: ${error}`),
    );
  }
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
