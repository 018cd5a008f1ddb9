// Builds the third-party programs that tests use: no test has to wait for a compiler.
//   node --import tsx test/support/prepare.ts providers opentofu cdktn package-managers
import { hasGo } from "./go-build";
import { buildGoClient, GO_CLIENTS } from "./go-clients";
import { builtProvider } from "./go-providers";
import { buildOpenTofu } from "./open-tofu";
import { installOpenstacksdk } from "./openstacksdk";
import { installPackageManager } from "./package-managers";
import { installCdktn } from "./terrain";
import { STRIPPING } from "./type-stripping";

type Programs = Readonly<Record<string, () => Promise<unknown>>>;

const GROUPS: Readonly<Record<string, Programs>> = {
  openstacksdk: { openstacksdk: installOpenstacksdk },
  cdktn: { "cdktn-cli": installCdktn },
  "package-managers": {
    pnpm: () => installPackageManager("pnpm"),
    yarn: () => installPackageManager("yarn"),
    bun: () => installPackageManager("bun"),
    vitest: () => installPackageManager("vitest"),
    ...Object.fromEntries(STRIPPING.map((node) => [node.name, async () => void node.install()])),
  },
  providers: {
    "hashicorp/null": () => builtProvider("null"),
    "hashicorp/http": () => builtProvider("http"),
    openstack: () => builtProvider("openstack"),
    ...Object.fromEntries(GO_CLIENTS.map((name) => [name, () => buildGoClient(name)])),
  },
  opentofu: { OpenTofu: buildOpenTofu },
};

async function main(wanted: readonly string[]): Promise<void> {
  for (const group of wanted) {
    if (["providers", "opentofu"].includes(group) && !hasGo()) {
      console.log(`There is no Go here: tests that need ${group} are skipped.`);
      continue;
    }
    for (const [name, build] of Object.entries(GROUPS[group] ?? {})) {
      const started = performance.now();
      try {
        await build();
        console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
      } catch (error) {
        // Not every registry has it: its tests are then skipped, and report it.
        console.log(`${name}: ${error}`);
      }
    }
  }
}

void main(process.argv.slice(2));
