import { chmodSync, copyFileSync, linkSync, mkdirSync, rmSync } from "node:fs";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import { buildProgram, type GoProgram } from "./go-build";

/**
 * Real providers of other people, built from their Go modules: no registry of Terraform's is asked.
 */
export const GO_PROVIDERS = {
  // The source of release 3.3.1; @cdktf/provider-null 11 requires exactly 3.2.4, which is only the
  // name that it is installed under.
  null: { release: "3.3.1", commit: "v1.0.1-0.20260824155049-3827b35ad520" },
  // The source of release 3.6.1.
  http: { release: "3.6.1", commit: "v1.2.1-0.20260814132659-be89f04ea469" },
  // The source of release 2.4.0. Not every module proxy has it: what uses it goes without.
  external: { release: "2.4.0", commit: "v1.2.1-0.20260513075810-70b9be6c3cfe" },
} as const;

export type GoProviderName = keyof typeof GO_PROVIDERS;

/** The path of the built provider; the first call on a machine takes up to a minute. */
export function builtProvider(name: GoProviderName): Promise<string> {
  return buildProgram(programOf(name));
}

/**
 * Puts a provider beside a stack, where `terraform init` finds it with neither network nor
 * configuration.
 *
 * @param release What it calls itself there. Default: the release whose source it is built from.
 */
export async function installProvider(
  stackFolder: string,
  name: GoProviderName,
  release: string = GO_PROVIDERS[name].release,
): Promise<void> {
  const program = await builtProvider(name);
  const target = join(
    stackFolder,
    "terraform.d/plugins/registry.terraform.io/hashicorp",
    `${name}/${release}/${goPlatform()}/terraform-provider-${name}_v${release}`,
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

/** This machine as Go and Terraform call it: `linux_amd64`. */
export function goPlatform(): string {
  const names: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386", win32: "windows" };
  return `${names[platform()] ?? platform()}_${names[arch()] ?? arch()}`;
}

function programOf(name: GoProviderName): GoProgram {
  return {
    module: `github.com/hashicorp/terraform-provider-${name}`,
    version: GO_PROVIDERS[name].commit,
    main: ".",
    file: `terraform-provider-${name}`,
  };
}
