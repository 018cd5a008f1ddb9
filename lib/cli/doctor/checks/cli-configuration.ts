import { existsSync, lstatSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { thisPlatform } from "../../../delivery/platforms";
import { type TerraformJson, tablesIn } from "../../../hcl/json";
import { PROVIDER_SOURCE } from "../../../provider/names";
import { pathInShell, quote } from "../../../tokens";
import { type CliConfigurationFile, installationsIn, settingOf } from "../cli-configuration-files";
import type { DoctorContext } from "../doctor-context";
import { namesIn, REPLACE_WITH_FILE } from "../files";
import {
  type Check,
  type Finding,
  type Findings,
  failure,
  findingsOr,
  hasRun,
  ok,
  skipped,
  warning,
} from "../finding";
import type { Stack } from "../project";
import { installedProviders, isInMirror } from "../provider-place";

/**
 * With any provider_installation block, Terraform no longer searches the stack's folder: one of its
 * mirrors must then contain the provider.
 */
export const checkCliConfiguration: Check = async (context) => {
  const files = await context.cliConfiguration();
  if (files.length === 0)
    return ok("No CLI configuration: Terraform looks for the provider in the stack's folder.");
  const faults = files.filter(({ content }) => content === undefined).map(unusable);
  const blocks = files.flatMap((file) => installationsIn(file).map((block) => ({ file, block })));
  if (faults.length === 0 && blocks.length > 0 && context.isAttached) {
    return skipped(
      "The provider_installation block has no effect: Terraform attaches to a running provider.",
    );
  }
  faults.push(...blocks.flatMap(({ file, block }) => faultsOf(context, file, block)));
  return findingsOr(faults, () =>
    ok(
      blocks.length === 0
        ? `${files.map(({ path }) => path).join(", ")}: no provider_installation block, so Terraform looks for the provider in the stack's folder.`
        : `${blocks[0]?.file.path}: its provider_installation block has a mirror that contains the provider.`,
    ),
  );
};

function unusable({ path, missing, why }: CliConfigurationFile): Finding {
  const subject = pathInShell(path);
  if (missing)
    return warning(
      `TF_CLI_CONFIG_FILE names ${subject}, which does not exist.`,
      "Unset it, or correct the path.",
    );
  if (why !== undefined) return failure(`${subject} ${why}.`, REPLACE_WITH_FILE);
  return failure(
    `${subject} is not a valid CLI configuration.`,
    "Correct it, or unset TF_CLI_CONFIG_FILE; Terraform names the line.",
  );
}

function faultsOf(
  { stacks, project, version }: DoctorContext,
  { path }: CliConfigurationFile,
  block: TerraformJson,
): Findings {
  const overrides = tablesIn(block.dev_overrides);
  if (overrides.some((each) => Object.hasOwn(each, PROVIDER_SOURCE))) return [];
  const mirrors = tablesIn(block.filesystem_mirror).filter(isForUs);
  const folders = stacks.length > 0 ? stacks.map(({ folder }) => folder) : [project.folder];
  const isServed = (folder: string) =>
    mirrors.some(
      ({ path }) => typeof path === "string" && isInMirror(resolve(folder, path), version),
    );
  if (folders.every(isServed)) return [];
  if (tablesIn(block.network_mirror).some(isForUs))
    return warning(
      `${pathInShell(path)} makes Terraform ask only a network mirror for the provider; doctor does not check that the mirror has version ${version}.`,
      `If it does not, ${hasRun() ? "run Terraform with iam-tokens run --; or " : ""}install the provider (iam-tokens install DIR), copy the printed lines into this file, and add npm.invalid/*/* to the exclude of the network mirror.`,
    );
  const why =
    mirrors.length === 0
      ? "so Terraform does not look in the stack's folder, and none of its mirrors includes npm.invalid"
      : `and its mirror has no ${PROVIDER_SOURCE} ${version} for ${thisPlatform()}`;
  return failure(
    `${pathInShell(path)} has a provider_installation block, ${why}.`,
    `${hasRun() ? "Run Terraform with iam-tokens run --, which needs no mirror; or install" : "Install"} the provider (iam-tokens install DIR) and copy the printed lines into this file.`,
  );
}

/** By `include` and `exclude`, with Terraform's rules. */
function isForUs({ include, exclude }: TerraformJson): boolean {
  const matches = (patterns: unknown) => Array.isArray(patterns) && patterns.some(matchesUs);
  return !matches(exclude) && (include === undefined || matches(include));
}

function matchesUs(pattern: unknown): boolean {
  if (typeof pattern !== "string") return false;
  const parts = pattern.split("/");
  const ours = PROVIDER_SOURCE.split("/");
  // A source without a host is in the public registry.
  return parts.length === 3 && parts.every((part, index) => part === "*" || part === ours[index]);
}

/**
 * A plugin cache contains a link to the provider next to the stack that was initialized last, and
 * the stacks link to the cache. When that folder is removed, all others have no provider until they
 * are initialized again.
 */
export const checkPluginCache: Check = async (context) => {
  const found: Finding[] = context.stacks.flatMap((stack) => deadLinksOf(stack, context));
  const { env, stacks, project } = context;
  const setting = settingOf(await context.cliConfiguration(), "plugin_cache_dir");
  const ofFile = setting?.replace(/^(?:\$HOME|~)(?=\/|$)/, () => env.HOME ?? "~");
  const folder = env.TF_PLUGIN_CACHE_DIR || ofFile;
  if (!folder) return findingsOr(found, () => skipped("None is set."));
  const path = resolve(stacks[0]?.folder ?? project.folder, folder);
  const subject = pathInShell(path);
  const origin = env.TF_PLUGIN_CACHE_DIR ? "TF_PLUGIN_CACHE_DIR" : "plugin_cache_dir";
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    const text = `${origin} names ${subject}, which is not a folder: every Terraform command reports that.`;
    found.push(
      warning(text, `Create it: mkdir ${process.platform === "win32" ? "" : "-p "}${subject}`),
    );
  } else if (linksIn(path).length === 0) {
    found.push(ok(`${subject} (${origin}) has no link to a provider in a stack's folder.`));
  } else {
    found.push(
      warning(
        `The plugin cache ${subject} links to the provider of the last initialized stack; if that folder is removed, the other stacks have no provider.`,
        `Unset ${origin} for these stacks${hasRun() ? ", or run Terraform with iam-tokens run --" : ""}.`,
      ),
    );
  }
  return found;
};

function deadLinksOf(stack: Stack, { env }: DoctorContext): readonly Finding[] {
  const dead = linksIn(installedProviders(stack, env)).filter((link) => !existsSync(link));
  return dead.map((link) =>
    failure(
      `The stack ${quote(stack.name)} was initialized with a provider that no longer exists: ${pathInShell(link)} is a broken link.`,
      "Run terraform init there again.",
    ),
  );
}

/** Links to this provider for this machine, in a folder with a cache's layout. */
function linksIn(root: string): readonly string[] {
  const base = join(root, ...PROVIDER_SOURCE.split("/"));
  return namesIn(base)
    .map((version) => join(base, version, thisPlatform()))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true);
}
