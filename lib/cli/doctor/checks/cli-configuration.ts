import { resolve } from "node:path";
import { PROVIDER_SOURCE } from "../../../provider/names";
import { pathInShell } from "../../shell-quoted";
import type { Check } from "../check";
import { type CliConfigurationFile, installationsIn } from "../cli-configuration-files";
import { cross, type Finding, ok, skipped, unless, warning } from "../finding";
import { thisPlatform } from "../platform";
import { type TerraformJson, tablesIn } from "../project/terraform-json";
import { isInMirror } from "../provider-place";
import type { Scene } from "../scene";

/**
 * With any provider_installation block Terraform no longer looks beside the stack: then one of its
 * mirrors must have the provider.
 */
export const checkCliConfiguration: Check = async (scene) => {
  const files = await scene.cliConfiguration();
  if (files.length === 0) return [ok("There is none: Terraform looks beside the stack.")];
  const faults = files.filter(({ content }) => content === undefined).map(unusable);
  const blocks = files.flatMap((file) => installationsIn(file).map((block) => ({ file, block })));
  if (faults.length === 0 && blocks.length > 0 && scene.isAttached) {
    return [
      skipped(
        "It has a provider_installation block, which does not matter: a provider is attached.",
      ),
    ];
  }
  for (const { file, block } of blocks) faults.push(...faultsOf(scene, file, block));
  return unless(faults, () =>
    ok(
      blocks.length === 0
        ? `${files.map(({ path }) => path).join(", ")}: no provider_installation block, so that Terraform looks beside the stack.`
        : `${blocks[0]?.file.path}: its provider_installation block has a mirror with the provider.`,
    ),
  );
};

function unusable({ path, missing }: CliConfigurationFile): Finding {
  if (missing)
    return warning(
      `TF_CLI_CONFIG_FILE names ${pathInShell(path)}, which is not there.`,
      "Unset it, or give the right path.",
    );
  return cross(
    `${pathInShell(path)} cannot be read as a configuration of the command line.`,
    "Correct it, or unset TF_CLI_CONFIG_FILE; Terraform names the place.",
  );
}

function faultsOf(
  { stacks, project, version }: Scene,
  { path }: CliConfigurationFile,
  block: TerraformJson,
): readonly Finding[] {
  const remedy =
    "Run Terraform below iam-tokens run --, which needs no mirror; or lay the provider out (iam-tokens install DIR) and put the lines that it prints into this file.";
  const folders = stacks.length > 0 ? stacks.map(({ folder }) => folder) : [project.folder];
  const excludedByDev = tablesIn(block.dev_overrides).some((overrides) =>
    Object.hasOwn(overrides, PROVIDER_SOURCE),
  );
  if (excludedByDev) return [];
  const mirrors = tablesIn(block.filesystem_mirror).filter(isForUs);
  const lacking = folders.filter(
    (folder) =>
      !mirrors.some(
        ({ path: mirror }) =>
          typeof mirror === "string" && isInMirror(resolve(folder, mirror), version),
      ),
  );
  if (lacking.length === 0) return [];
  const why =
    mirrors.length === 0
      ? "so that Terraform does not look beside the stack, and no mirror of it is for npm.invalid"
      : `and its mirror has no ${PROVIDER_SOURCE} ${version} for ${thisPlatform()}`;
  return [cross(`${pathInShell(path)} has a provider_installation block, ${why}.`, remedy)];
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
