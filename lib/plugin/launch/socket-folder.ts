import { mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { PluginStartError } from "../faults";

/** The address of a server: a socket in its own folder. */
interface SocketPlace {
  readonly socket: string;
  /** Removes everything that was created for it. May be called more than once. */
  remove(): void;
}

/** Inputs for the choice of a folder. */
export interface SocketFolderOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /**
   * Whether to skip a folder in which another user may rename files, and could replace our socket
   * with theirs. With TLS, this only stops the client; without TLS, the client would talk to them.
   * False by default.
   */
  readonly withoutTls?: boolean;
}

/** Why no server can listen there; undefined if one can. */
export function socketProblem(socket: string, platform: NodeJS.Platform): string | undefined {
  const length = Buffer.byteLength(socket, "utf8");
  // A socket's path has a fixed size in the kernel; the last byte is the end mark.
  const limit = (platform === "linux" ? 108 : 104) - 1;
  if (length > limit)
    return `a socket's path has at most ${limit} bytes, this would have ${length}`;
  // The handshake is one line of fields separated by bars.
  for (const character of socket) {
    if (character === "|" || character < " " || character === "\u007f")
      return 'it has a "|" or a control character';
  }
  return undefined;
}

/**
 * A socket in a new folder that only this user can enter, in the first of these that is writable
 * and short enough: TMPDIR, XDG_RUNTIME_DIR, /tmp, /var/tmp. Throws {@link PluginStartError} if
 * none is.
 */
export function freshSocketPlace({
  env,
  platform,
  withoutTls = false,
}: SocketFolderOptions): SocketPlace {
  const refused: string[] = [];
  const candidates = [env.TMPDIR, env.XDG_RUNTIME_DIR, "/tmp", "/var/tmp"].flatMap((folder) =>
    folder ? [withoutTls ? realPath(folder) : path.resolve(folder)] : [],
  );
  for (const parent of new Set(candidates)) {
    const problem = socketProblem(path.join(parent, "tfp-XXXXXX", "s"), platform);
    if (problem !== undefined) {
      refused.push(`${JSON.stringify(parent)} (${problem})`);
      continue;
    }
    try {
      if (withoutTls && othersMayRenameIn(parent)) {
        refused.push(`${JSON.stringify(parent)} (other users may rename what is in it)`);
        continue;
      }
      // mkdtemp creates it with mode 0700 under a random name.
      const folder = mkdtempSync(path.join(parent, "tfp-"));
      return {
        socket: path.join(folder, "s"),
        remove: () => rmSync(folder, { recursive: true, force: true }),
      };
    } catch (error) {
      refused.push(`${JSON.stringify(parent)} (${codeOf(error)})`);
    }
  }
  throw new PluginStartError(
    `No folder for the provider's socket: ${refused.join(", ")}. Set TMPDIR to a short, writable folder.`,
  );
}

/**
 * The owner of a folder may rename its files, and so may everybody with write access, unless it has
 * the sticky bit, like /tmp. Whoever may rename the folder itself, or one above it, can move all of
 * it. Its path must not contain links, which others may change.
 */
export function othersMayRenameIn(folder: string): boolean {
  if (process.getuid === undefined) return false;
  const { uid, mode } = statSync(folder);
  if ((uid !== 0 && uid !== process.getuid()) || ((mode & 0o022) !== 0 && (mode & 0o1000) === 0))
    return true;
  const above = path.dirname(folder);
  return above !== folder && othersMayRenameIn(above);
}

/** The path without links, if it exists. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}

function codeOf(error: unknown): string {
  const code =
    typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "failed";
}
