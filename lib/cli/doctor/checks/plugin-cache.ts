import { existsSync, lstatSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { PROVIDER_SOURCE } from "../../../provider/schema/names";
import { quote } from "../../../tokens";
import type { Check } from "../check";
import { cliConfigurationFiles, settingOf } from "../cli-configuration-files";
import { cross, ok, skipped, warning } from "../finding";
import { thisPlatform } from "../platform";
import { namesIn } from "../project/stack";

/** A cache of plugins holds a link to the provider beside the stack that was initialized last: it must not outlive that folder. */
export const checkPluginCache: Check = async (scene) => {
  const { env, project } = scene;
  const { version } = await scene.terraform();
  const files = cliConfigurationFiles(env, version?.product === "OpenTofu");
  const variable = env.TF_PLUGIN_CACHE_DIR;
  const setting = settingOf(files, "plugin_cache_dir")?.replace(/^(?:\$HOME|~)(?=\/|$)/, () => env.HOME ?? "~");
  const folder = variable || setting;
  if (!folder) return [skipped("None is set.")];
  const origin = variable ? "TF_PLUGIN_CACHE_DIR" : "plugin_cache_dir";
  const path = resolve(scene.stacks[0]?.folder ?? project.folder, folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return [
      cross(`${origin} names ${quote(path)}, which is no folder: each terraform init fails.`, `Make it: mkdir -p ${quote(path)}`),
    ];
  }
  const base = join(path, ...PROVIDER_SOURCE.split("/"));
  const dead = namesIn(base)
    .map((each) => join(base, each, thisPlatform()))
    .filter((each) => isLink(each) && !existsSync(each));
  if (dead.length > 0) {
    return dead.map((link) =>
      cross(`The plugin cache has a link to a stack that is gone: ${quote(link)}.`, `Remove it: rm ${quote(link)}`),
    );
  }
  const linked = namesIn(base).some((each) => isLink(join(base, each, thisPlatform())));
  if (!linked) return [ok(`${quote(path)} (${origin}) holds no link to a provider beside a stack.`)];
  return [
    warning(
      `The plugin cache ${quote(path)} links to the provider of the stack that was initialized last; when that folder goes, other stacks fail.`,
      `Unset ${origin} for these stacks, or run Terraform below iam-tokens run --.`,
    ),
  ];
};

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
