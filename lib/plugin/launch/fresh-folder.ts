import { mkdtempSync, realpathSync, rmdirSync, statSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { faultName } from "../faults";
import { quietly } from "../quietly";

/**
 * Their owner can replace the whole system: whoever owns `/` is trusted with them. In a container,
 * the last one may be the only one that can be written.
 */
const SYSTEM_FOLDERS = ["/tmp", "/var/tmp", "/dev/shm"];

interface FreshFolderOptions<Made> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The beginning of its name; six random characters follow. */
  readonly prefix: string;
  /** Why nothing can be created in this folder; undefined if it is suitable. */
  readonly unfit?: (parent: string) => string | undefined;
  /**
   * Whether somebody else uses a folder in which everybody may rename files. One that nobody else
   * uses is taken if no other folder is suitable. By default, everybody uses it.
   */
  readonly isShared?: ((folder: string) => boolean) | undefined;
  /** Uses the new folder. If this fails, the folder must be empty, and the next one is tried. */
  readonly use: (folder: string) => Made | Promise<Made>;
}

/** No folder is suitable. The message names each, and its problem. */
export class NoFolderError extends Error {
  override readonly name = "NoFolderError";
}

/**
 * Creates a folder that only this user can enter, in the first of these that is suitable: TMPDIR,
 * XDG_RUNTIME_DIR, /tmp, /var/tmp, /dev/shm. A folder in which another user may rename files is not
 * used: what is created there could be replaced at any time.
 */
export async function freshFolder<Made>(options: FreshFolderOptions<Made>): Promise<Made> {
  const { env, platform, prefix, unfit = () => undefined, isShared, use } = options;
  const refused = new Map<string, string>();
  const candidates =
    platform === "win32" ? [tmpdir()] : [env.TMPDIR, env.XDG_RUNTIME_DIR, ...SYSTEM_FOLDERS];
  for (const rule of isShared === undefined ? [undefined] : [undefined, isShared])
    for (const candidate of new Set(candidates)) {
      if (!candidate) continue;
      let folder: string | undefined;
      let problem: string | undefined;
      try {
        const parent = realpathSync(candidate);
        problem = unfit(parent) ?? unsafe(parent, SYSTEM_FOLDERS.includes(candidate), rule);
        if (problem === undefined) {
          // mkdtemp creates it with mode 0700 under a random name.
          folder = mkdtempSync(path.join(parent, prefix));
          return await use(folder);
        }
      } catch (error) {
        problem = faultName(error).replace(/^Error /, "");
        if (folder !== undefined) removeFolder(folder, []);
      }
      refused.set(candidate, problem);
    }
  throw new NoFolderError(
    [...refused].map(([folder, problem]) => `${JSON.stringify(folder)} (${problem})`).join(", "),
  );
}

function unsafe(
  folder: string,
  ofSystem: boolean,
  isShared?: (folder: string) => boolean,
): string | undefined {
  return othersMayRenameIn(folder, ofSystem ? [statSync("/").uid] : [], isShared)
    ? "other users may rename what is in it"
    : undefined;
}

/**
 * The owner of a folder may rename its files, and so may everybody with write access, unless it has
 * the sticky bit, like /tmp. Whoever may rename the folder itself, or one above it, can move all of
 * it. Its path must not contain links, which others may change.
 *
 * @param trusted owners in addition to root and this user
 * @param isShared whether somebody else uses a folder in which everybody may rename files
 */
export function othersMayRenameIn(
  folder: string,
  trusted: readonly number[] = [],
  isShared = (_folder: string) => true,
): boolean {
  if (process.getuid === undefined) return false;
  const { uid, mode } = statSync(folder);
  if (![0, process.getuid(), ...trusted].includes(uid)) return true;
  if ((mode & 0o022) !== 0 && (mode & 0o1000) === 0 && isShared(folder)) return true;
  const above = path.dirname(folder);
  return above !== folder && othersMayRenameIn(above, trusted, isShared);
}

/**
 * Removes a folder and the files in it that have these names, by their names: a recursive removal
 * would also remove what somebody else has put there.
 */
export function removeFolder(folder: string, names: Iterable<string>): void {
  for (const name of names) quietly(() => unlinkSync(path.join(folder, name)));
  quietly(() => rmdirSync(folder));
}
