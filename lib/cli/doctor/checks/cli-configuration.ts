import { existsSync, lstatSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { PROVIDER_SOURCE } from "../../../provider/names";
import { quote } from "../../../tokens";
import { pathInShell } from "../../shell-quoted";
import { type CliConfigurationFile, installationsIn, settingOf } from "../cli-configuration-files";
import { namesIn, PUT_A_FILE } from "../files";
import {
  type Check,
  cross,
  type Finding,
  type Findings,
  ok,
  skipped,
  unless,
  warning,
} from "../finding";
import type { Stack } from "../project";
import { isInMirror, thisPlatform } from "../provider-place";
import type { Scene } from "../scene";
import { type TerraformJson, tablesIn } from "../terraform-json";

/**
 * With any provider_installation block Terraform no longer looks beside the stack: then one of its
 * mirrors must have the provider.
 */
export const checkCliConfiguration: Check = async (scene) => {
  const files = await scene.cliConfiguration();
  if (files.length === 0) return ok("There is none: Terraform looks beside the stack.");
  const faults = files.filter(({ content }) => content === undefined).map(unusable);
  const blocks = files.flatMap((file) => installationsIn(file).map((block) => ({ file, block })));
  if (faults.length === 0 && blocks.length > 0 && scene.isAttached) {
    return skipped(
      "It has a provider_installation block, which does not matter: a provider is attached.",
    );
  }
  faults.push(...blocks.flatMap(({ file, block }) => faultsOf(scene, file, block)));
  return unless(faults, () =>
    ok(
      blocks.length === 0
        ? `${files.map(({ path }) => path).join(", ")}: no provider_installation block, so that Terraform looks beside the stack.`
        : `${blocks[0]?.file.path}: its provider_installation block has a mirror with the provider.`,
    ),
  );
};

function unusable({ path, missing, why }: CliConfigurationFile): Finding {
  const shown = pathInShell(path);
  if (missing)
    return warning(
      `TF_CLI_CONFIG_FILE names ${shown}, which is not there.`,
      "Unset it, or give the right path.",
    );
  if (why !== undefined) return cross(`${shown} ${why}.`, PUT_A_FILE);
  return cross(
    `${shown} cannot be read as a configuration of the command line.`,
    "Correct it, or unset TF_CLI_CONFIG_FILE; Terraform names the place.",
  );
}

function faultsOf(
  { stacks, project, version }: Scene,
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
  const why =
    mirrors.length === 0
      ? "so that Terraform does not look beside the stack, and no mirror of it is for npm.invalid"
      : `and its mirror has no ${PROVIDER_SOURCE} ${version} for ${thisPlatform()}`;
  return cross(
    `${pathInShell(path)} has a provider_installation block, ${why}.`,
    "Run Terraform below iam-tokens run --, which needs no mirror; or lay the provider out (iam-tokens install DIR) and put the lines that it prints into this file.",
  );
}

/** Of `include` and `exclude`, as Terraform reads them. */
function isForUs({ include, exclude }: TerraformJson): boolean {
  const matches = (patterns: unknown) => Array.isArray(patterns) && patterns.some(matchesUs);
  return !matches(exclude) && (include === undefined || matches(include));
}

function matchesUs(pattern: unknown): boolean {
  if (typeof pattern !== "string") return false;
  const parts = pattern.split("/");
  const ours = PROVIDER_SOURCE.split("/");
  // What names no host means the public registry.
  return parts.length === 3 && parts.every((part, index) => part === "*" || part === ours[index]);
}

/**
 * A cache of plugins holds a link to the provider beside the stack that was initialized last, and
 * the stacks link to it. When that folder goes, all others have no provider until they are
 * initialized again.
 */
export const checkPluginCache: Check = async (scene) => {
  const found: Finding[] = scene.stacks.flatMap(deadLinksOf);
  const { env, stacks, project } = scene;
  const setting = settingOf(await scene.cliConfiguration(), "plugin_cache_dir");
  const ofFile = setting?.replace(/^(?:\$HOME|~)(?=\/|$)/, () => env.HOME ?? "~");
  const folder = env.TF_PLUGIN_CACHE_DIR || ofFile;
  if (!folder) return unless(found, () => skipped("None is set."));
  const path = resolve(stacks[0]?.folder ?? project.folder, folder);
  const shown = pathInShell(path);
  const origin = env.TF_PLUGIN_CACHE_DIR ? "TF_PLUGIN_CACHE_DIR" : "plugin_cache_dir";
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    const text = `${origin} names ${shown}, which is no folder: Terraform complains of it at each command.`;
    found.push(warning(text, `Make it: mkdir -p ${shown}`));
  } else if (linksIn(path).length === 0) {
    found.push(ok(`${shown} (${origin}) holds no link to a provider beside a stack.`));
  } else {
    found.push(
      warning(
        `The plugin cache ${shown} links to the provider of the stack that was initialized last; when that folder goes, the other stacks have none.`,
        `Unset ${origin} for these stacks, or run Terraform below iam-tokens run --.`,
      ),
    );
  }
  return found;
};

function deadLinksOf({ name, folder }: Stack): readonly Finding[] {
  const dead = linksIn(join(folder, ".terraform/providers")).filter((link) => !existsSync(link));
  return dead.map((link) =>
    cross(
      `The stack ${quote(name)} was initialized with a provider that is gone: ${pathInShell(link)} leads nowhere.`,
      "Run terraform init there again.",
    ),
  );
}

/** Of this provider for this machine, in a folder that is laid out as a cache is. */
function linksIn(root: string): readonly string[] {
  const base = join(root, ...PROVIDER_SOURCE.split("/"));
  return namesIn(base)
    .map((version) => join(base, version, thisPlatform()))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true);
}
