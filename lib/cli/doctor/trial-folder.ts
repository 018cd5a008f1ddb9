import { lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { freshFolder, removeFolder } from "../../plugin/launch/fresh-folder";
import { PROVIDER_SOURCE, PROVIDER_TYPE } from "../../provider/names";
import { namesIn } from "./files";
import type { Stack } from "./project";

/** A folder in which Terraform needs the provider of a stack, and nothing else. */
interface TrialFolder {
  readonly path: string;
  /**
   * For TF_PLUGIN_CACHE_DIR: in the user's own cache, `init` would replace the link to the
   * provider, through which other stacks find it, by one into this folder.
   */
  readonly cache: string;
  remove(): void;
}

/**
 * Makes a trial folder, with the requirement of a stack, its entry in the lock file and its plugin
 * folder.
 *
 * @throws NoFolderError
 */
export function makeTrialFolder(
  { folder: stackFolder, required, hasPlugins }: Stack,
  lockEntry: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): TrialFolder {
  const version = required === "" ? undefined : required;
  const configuration = {
    terraform: { required_providers: { [PROVIDER_TYPE]: { source: PROVIDER_SOURCE, version } } },
    provider: { [PROVIDER_TYPE]: [{}] },
  };
  return freshFolder({
    env,
    platform: process.platform,
    prefix: "iam-doctor-",
    use: (path) => {
      const trial = { path, cache: join(path, "cache"), remove: () => removeTrial(path) };
      try {
        mkdirSync(trial.cache);
        writeFileSync(join(path, "main.tf.json"), JSON.stringify(configuration));
        if (lockEntry !== undefined) writeFileSync(join(path, ".terraform.lock.hcl"), lockEntry);
        const plugins = "terraform.d";
        // Windows allows everybody a junction, but not a link.
        if (hasPlugins) symlinkSync(join(stackFolder, plugins), join(path, plugins), "junction");
      } catch (error) {
        trial.remove();
        throw error;
      }
      return trial;
    },
  });
}

/** Removes what we and Terraform have written, each by its name, and follows no link. */
function removeTrial(path: string): void {
  for (const root of [".terraform/providers", "cache"].map((name) => join(path, name))) {
    const base = join(root, ...PROVIDER_SOURCE.split("/"));
    for (const version of namesIn(base).map((name) => join(base, name))) {
      // Links to folders, and folders of what an archive contained.
      const platforms = namesIn(version);
      for (const folder of platforms.map((name) => join(version, name))) {
        const isFolder = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory();
        if (isFolder) removeFolder(folder, namesIn(folder));
      }
      removeFolder(version, platforms);
    }
    for (let folder = base; folder !== path; folder = dirname(folder)) removeFolder(folder, []);
  }
  removeFolder(path, namesIn(path));
}
