import { mkdtempSync, realpathSync, rmdirSync, statSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { faultName } from "../faults";
import { quietly } from "../quietly";

/** Their owner can replace the whole system: whoever owns `/` is trusted with them. */
const SYSTEM_FOLDERS = ["/tmp", "/var/tmp"];

interface FreshFolderOptions<Made> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The beginning of its name; six random characters follow. */
  readonly prefix: string;
  /** Why nothing can be created in this folder; undefined if it is suitable. */
  readonly unfit?: (parent: string) => string | undefined;
  /** Uses the new folder. If this throws, the folder must be empty, and the next one is tried. */
  readonly use: (folder: string) => Made;
}

/** No folder is suitable. The message names each, and its problem. */
export class NoFolderError extends Error {
  override readonly name = "NoFolderError";
}

/**
 * Creates a folder that only this user can enter, in the first of these that is suitable: TMPDIR,
 * XDG_RUNTIME_DIR, /tmp, /var/tmp. A folder in which another user may rename files is never used:
 * what is created there could be replaced at any time.
 */
export function freshFolder<Made>(options: FreshFolderOptions<Made>): Made {
  const { env, platform, prefix, unfit = () => undefined, use } = options;
  const refused: string[] = [];
  const candidates =
    platform === "win32" ? [tmpdir()] : [env.TMPDIR, env.XDG_RUNTIME_DIR, ...SYSTEM_FOLDERS];
  for (const candidate of new Set(candidates)) {
    if (!candidate) continue;
    let folder: string | undefined;
    let problem: string | undefined;
    try {
      const parent = realpathSync(candidate);
      problem = unfit(parent) ?? unsafe(parent, SYSTEM_FOLDERS.includes(candidate));
      if (problem === undefined) {
        // mkdtemp creates it with mode 0700 under a random name.
        folder = mkdtempSync(path.join(parent, prefix));
        return use(folder);
      }
    } catch (error) {
      problem = faultName(error).replace(/^Error /, "");
      if (folder !== undefined) removeFolder(folder, []);
    }
    refused.push(`${JSON.stringify(candidate)} (${problem})`);
  }
  throw new NoFolderError(refused.join(", "));
}

function unsafe(folder: string, ofSystem: boolean): string | undefined {
  return othersMayRenameIn(folder, ofSystem ? [statSync("/").uid] : [])
    ? "other users may rename what is in it"
    : undefined;
}

/**
 * The owner of a folder may rename its files, and so may everybody with write access, unless it has
 * the sticky bit, like /tmp. Whoever may rename the folder itself, or one above it, can move all of
 * it. Its path must not contain links, which others may change.
 *
 * @param trusted owners in addition to root and this user
 */
export function othersMayRenameIn(folder: string, trusted: readonly number[] = []): boolean {
  if (process.getuid === undefined) return false;
  const { uid, mode } = statSync(folder);
  if (![0, process.getuid(), ...trusted].includes(uid)) return true;
  if ((mode & 0o022) !== 0 && (mode & 0o1000) === 0) return true;
  const above = path.dirname(folder);
  return above !== folder && othersMayRenameIn(above, trusted);
}

/**
 * Removes a folder and the files in it that have these names, by their names: a recursive removal
 * would also remove what somebody else has put there.
 */
export function removeFolder(folder: string, names: Iterable<string>): void {
  for (const name of names) quietly(() => unlinkSync(path.join(folder, name)));
  quietly(() => rmdirSync(folder));
}
