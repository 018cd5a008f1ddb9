import { chmodSync, copyFileSync, linkSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { thisPlatform } from "../../lib/delivery/platforms";
import { buildProgram, cachedProgram, type GoProgram } from "./go-build";

/**
 * Other people's real providers, built from their Go modules: no Terraform registry is needed.
 */
const HASHICORP = "github.com/hashicorp/terraform-provider-";
const GO_PROVIDERS = {
  // The source of release 3.3.1; @cdktf/provider-null 11 requires exactly 3.2.4, which is only the
  // version under which it is installed.
  null: {
    source: "hashicorp/null",
    module: `${HASHICORP}null`,
    release: "3.3.1",
    commit: "v1.0.1-0.20260824155049-3827b35ad520",
  },
  // The source of release 3.6.1.
  http: {
    source: "hashicorp/http",
    module: `${HASHICORP}http`,
    release: "3.6.1",
    commit: "v1.2.1-0.20260814132659-be89f04ea469",
  },
  openstack: {
    source: "terraform-provider-openstack/openstack",
    module: "github.com/terraform-provider-openstack/terraform-provider-openstack/v3",
    release: "3.4.0",
    commit: "v3.4.0",
  },
} as const;

type GoProviderName = keyof typeof GO_PROVIDERS;

const programOf = (name: GoProviderName): GoProgram => ({
  module: GO_PROVIDERS[name].module,
  version: GO_PROVIDERS[name].commit,
  main: ".",
  file: `terraform-provider-${name}`,
});

/** The path of the built provider; the first call on a machine takes up to three minutes. */
export const builtProvider = (name: GoProviderName): Promise<string> =>
  buildProgram(programOf(name));

/** The same, or null if it is not built yet. */
export const cachedProvider = (name: GoProviderName): string | null =>
  cachedProgram(programOf(name));

/**
 * Copies a provider into a stack's folder, where `terraform init` finds it without network or
 * configuration.
 *
 * @param release The version in its file name. Default: the release whose source it is built from.
 */
export async function installProvider(
  stackFolder: string,
  name: GoProviderName,
  release: string = GO_PROVIDERS[name].release,
): Promise<void> {
  const program = await builtProvider(name);
  // What Terraform and what OpenTofu take a source without a host for.
  for (const host of ["registry.terraform.io", "registry.opentofu.org"]) {
    const target = join(
      stackFolder,
      "terraform.d/plugins",
      host,
      GO_PROVIDERS[name].source,
      `${release}/${thisPlatform()}/terraform-provider-${name}_v${release}`,
    );
    mkdirSync(dirname(target), { recursive: true });
    rmSync(target, { force: true });
    try {
      linkSync(program, target);
    } catch {
      // Another file system, or one without hard links.
      copyFileSync(program, target);
    }
    chmodSync(target, 0o755);
  }
}
