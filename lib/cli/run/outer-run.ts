import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import os from "node:os";
import { dirname, join } from "node:path";
import { removeFolder } from "../../plugin/launch/fresh-folder";
import { SOCKET } from "../../plugin/launch/socket-folder";
import { cleanEnvironment } from "../../plugin/launcher/clean-environment";
import { RUN_NOTE } from "../../provider/attached/messages";

/** Our notes are never larger. */
const NOTE_MAX_BYTES = 4_096;

/**
 * A run's note next to its socket, by which another run inside of it knows whether it may use the
 * same provider: a keyed digest of everything that the provider may read. In the environment, more
 * processes would see it, and a weak password could be guessed from it.
 */
interface Note {
  readonly version: string;
  /**
   * The machine's name: if another machine listens on a socket on a network drive, the kernel says
   * that nobody does.
   */
  readonly host: string;
  readonly key: string;
  readonly digest: string;
}

/** Inputs of a provider's start. */
export interface StartedWith {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
}

/** Writes the note of a run, if the folder is not full: without it, runs inside share nothing. */
export function leaveNote(socket: string, started: StartedWith): void {
  const key = randomBytes(32).toString("hex");
  const { version } = started;
  const note: Note = { version, host: os.hostname(), key, digest: digestOf(started, key) };
  try {
    writeFileSync(join(dirname(socket), RUN_NOTE), JSON.stringify(note), {
      mode: 0o600,
      flag: "wx",
    });
  } catch {
    // A part of it is no note.
  }
}

/**
 * Whether an attached provider belongs to a run around this one, answers, and would read the same
 * as one of our own.
 */
export async function mayUse(socket: string, started: StartedWith): Promise<boolean> {
  const note = readNote(dirname(socket));
  if (note === undefined || note.version !== started.version) return false;
  const theirs = Buffer.from(note.digest, "hex");
  const ours = Buffer.from(digestOf(started, note.key), "hex");
  const same = theirs.length === ours.length && timingSafeEqual(theirs, ours);
  return same && (await listens(socket)) === "yes";
}

/** A folder that a killed run of this machine has left: it contains a note, and nobody listens. */
export async function isLeftOver(folder: string): Promise<boolean> {
  return readNote(folder)?.host === os.hostname() && (await listens(join(folder, SOCKET))) === "no";
}

/** Removes the folder of an attached provider that has ended. */
export function removeRunFolder(folder: string): void {
  removeFolder(folder, [SOCKET, RUN_NOTE]);
}

/**
 * Removes the folders of runs that were killed together with their providers (kill -9 of the whole
 * process group), next to a folder of this run. No other folders match: see {@link isLeftOver}.
 */
export async function removeLeftOvers(socket: string): Promise<void> {
  const own = dirname(socket);
  const parent = dirname(own);
  let names: readonly string[];
  try {
    names = readdirSync(parent).filter((name) => name.startsWith("tfp-"));
  } catch {
    return;
  }
  for (const folder of names.map((name) => join(parent, name))) {
    if (folder !== own && (await isLeftOver(folder))) removeRunFolder(folder);
  }
}

/**
 * A provider block may name any variable, so all of them count, except those that wrappers change
 * and that contain no secrets.
 */
const CHANGED_BY_WRAPPERS =
  /^(_|PWD|OLDPWD|SHLVL|PATH|INIT_CWD|NODE|COLOR|EDITOR|COLUMNS|LINES|npm_.*|MAKEFLAGS|MFLAGS|MAKELEVEL|MAKE_TERM(OUT|ERR)|TF_REATTACH_PROVIDERS|CDKTF_SKIP_PROVIDER_LOCK)$/;

function digestOf({ env, workingFolder }: StartedWith, key: string): string {
  const read = Object.entries(cleanEnvironment(env, "IAM_TOKENS_EXTRA_CA_CERTS"))
    .filter(([name]) => !CHANGED_BY_WRAPPERS.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHmac("sha256", key)
    .update(JSON.stringify([workingFolder, read]))
    .digest("hex");
}

function readNote(folder: string): Note | undefined {
  try {
    const { uid, mode } = lstatSync(folder);
    if (uid !== process.getuid?.() || (mode & 0o077) !== 0) return undefined;
    const file = lstatSync(join(folder, RUN_NOTE));
    if (!file.isFile() || file.size > NOTE_MAX_BYTES) return undefined;
    const note = JSON.parse(readFileSync(join(folder, RUN_NOTE), "utf8")) as Note;
    const members: readonly unknown[] = [note.version, note.host, note.key, note.digest];
    return members.every((member) => typeof member === "string") ? note : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A refusal by the kernel is a certain "no", even for a process in another PID namespace;
 * everything else may be a busy "yes".
 */
function listens(socket: string): Promise<"yes" | "no" | "unknown"> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once("connect", () => {
      connection.destroy();
      resolve("yes");
    });
    connection.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === "ECONNREFUSED" || error.code === "ENOENT" ? "no" : "unknown");
    });
  });
}
