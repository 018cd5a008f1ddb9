import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { LOCK_FILE } from "../../delivery/lock/lock-file";
import { freshFolder, removeFolder } from "../../plugin/launch/fresh-folder";
import { PROVIDER_SOURCE } from "../../provider/names";

/** A folder in which Terraform needs our provider, and nothing else. */
interface TrialFolder {
  readonly path: string;
  /** Where Terraform may keep providers. */
  readonly cache: string;
  /** Where it looks for a version of the provider without configuration. */
  readonly plugins: string;
  readonly remove: () => void;
}

const [CACHE, PLUGINS] = ["cache", "terraform.d/plugins"];

/**
 * Makes it where no other user can put something in its place: Terraform starts what is there, with
 * the environment of this process.
 *
 * @param lock the content of the lock file; empty without one
 * @throws NoFolderError
 */
export function makeTrialFolder(
  configuration: object,
  lock: string,
  version: string,
  env: Readonly<Record<string, string | undefined>>,
): TrialFolder {
  return freshFolder({
    env,
    platform: process.platform,
    prefix: "iam-doctor-",
    use: (path) => {
      const remove = () => removeTrial(path);
      const cache = join(path, CACHE);
      const plugins = join(path, PLUGINS, ...PROVIDER_SOURCE.split("/"), version);
      try {
        mkdirSync(cache);
        mkdirSync(plugins, { recursive: true });
        writeFileSync(join(path, "main.tf.json"), JSON.stringify(configuration));
        if (lock !== "") writeFileSync(join(path, LOCK_FILE), lock);
      } catch (error) {
        remove();
        throw error;
      }
      return { path, cache, plugins, remove };
    },
  });
}

/** Removes what we and Terraform have written, each by its name, and nothing behind a link. */
function removeTrial(path: string): void {
  for (const root of [PLUGINS, ".terraform/providers", CACHE]) {
    const base = join(path, root, ...PROVIDER_SOURCE.split("/"));
    for (const version of namesIn(base).map((name) => join(base, name))) {
      // Links to folders, and folders of what an archive contained.
      const platforms = namesIn(version);
      for (const folder of platforms.map((name) => join(version, name)))
        removeFolder(folder, namesIn(folder));
      removeFolder(version, platforms);
    }
    for (let folder = base; folder !== path; folder = dirname(folder)) removeFolder(folder, []);
  }
  removeFolder(path, namesIn(path));
}

/** Empty for a link. */
function namesIn(folder: string): readonly string[] {
  const isFolder = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? readdirSync(folder) : [];
}
