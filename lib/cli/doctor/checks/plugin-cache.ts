import { existsSync, lstatSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { PROVIDER_SOURCE } from "../../../provider/names";
import { quote } from "../../../tokens";
import { pathInShell } from "../../shell-quoted";
import type { Check } from "../check";
import { settingOf } from "../cli-configuration-files";
import { cross, type Finding, ok, skipped, warning } from "../finding";
import { thisPlatform } from "../platform";
import { namesIn } from "../project/stack";
import type { Scene } from "../scene";

/**
 * A cache of plugins holds a link to the provider beside the stack that was initialized last, and
 * the stacks link to it. When that folder goes, all others have no provider until they are
 * initialized again.
 */
export const checkPluginCache: Check = async (scene) => {
  const dead = deadLinks(scene);
  const cache = await cacheOf(scene);
  if (cache === undefined) return dead.length > 0 ? dead : [skipped("None is set.")];
  const { path, origin } = cache;
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    const text = `${origin} names ${pathInShell(path)}, which is no folder: Terraform complains of it at each command.`;
    return [...dead, warning(text, `Make it: mkdir -p ${pathInShell(path)}`)];
  }
  if (linksIn(path).length === 0)
    return [
      ...dead,
      ok(`${pathInShell(path)} (${origin}) holds no link to a provider beside a stack.`),
    ];
  return [
    ...dead,
    warning(
      `The plugin cache ${pathInShell(path)} links to the provider of the stack that was initialized last; when that folder goes, the other stacks have none.`,
      `Unset ${origin} for these stacks, or run Terraform below iam-tokens run --.`,
    ),
  ];
};

function deadLinks({ stacks }: Scene): readonly Finding[] {
  return stacks.flatMap(({ name, folder }) =>
    linksIn(join(folder, ".terraform/providers"))
      .filter((link) => !existsSync(link))
      .map((link) =>
        cross(
          `The stack ${quote(name)} was initialized with a provider that is gone: ${pathInShell(link)} leads nowhere.`,
          "Run terraform init there again.",
        ),
      ),
  );
}

async function cacheOf(
  scene: Scene,
): Promise<{ readonly path: string; readonly origin: string } | undefined> {
  const { env, stacks, project } = scene;
  const setting = settingOf(await scene.cliConfiguration(), "plugin_cache_dir")?.replace(
    /^(?:\$HOME|~)(?=\/|$)/,
    () => env.HOME ?? "~",
  );
  const folder = env.TF_PLUGIN_CACHE_DIR || setting;
  if (!folder) return undefined;
  return {
    path: resolve(stacks[0]?.folder ?? project.folder, folder),
    origin: env.TF_PLUGIN_CACHE_DIR ? "TF_PLUGIN_CACHE_DIR" : "plugin_cache_dir",
  };
}

/** Of this provider for this machine, in a folder that is laid out as a cache is. */
function linksIn(root: string): readonly string[] {
  const base = join(root, ...PROVIDER_SOURCE.split("/"));
  return namesIn(base)
    .map((version) => join(base, version, thisPlatform()))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true);
}
