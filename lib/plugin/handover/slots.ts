import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { quietly } from "../quietly";

/** With fewer free slots than this, more are created. */
const FEW_SLOTS = 12;
const MORE_SLOTS = 64;

/** A launcher's claim in the folder: its slot, and its client. */
export interface Claim {
  /** The launcher's process id, in its own PID namespace. */
  readonly launcher: number;
  /** The program that it would otherwise start. */
  readonly program: string;
  /** The certificate of its client, in DER and base64. */
  readonly certificate: string;
}

/**
 * Three parts, each starting on a new line: process id, program, certificate in PEM. Undefined for
 * anything else.
 */
export function parseClaim(text: string): Claim | undefined {
  const [launcher = "", program = "", ...pem] = text.split("\n");
  const certificate = certificateIn(pem.join("\n"));
  if (!/^[1-9]\d{0,9}$/.test(launcher) || program === "" || certificate === undefined)
    return undefined;
  return { launcher: Number(launcher), program, certificate };
}

/**
 * The only certificate in a PEM string, in base64. It is not parsed further, because it is only
 * compared with the certificate in TLS.
 */
export function certificateIn(pem: string): string | undefined {
  const [, base64 = ""] =
    /^-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/=\n]+)-----END CERTIFICATE-----\s*$/.exec(pem) ??
    [];
  return Buffer.from(base64, "base64").toString("base64") || undefined;
}

/**
 * A FIFO through which this process talks to one launcher. Its end means that this process has
 * gone.
 */
export interface Slot {
  /** Open for reading and writing: opening it only for writing would wait for a reader. */
  readonly descriptor: number;
  /** Undefined if it cannot be read, or is invalid. */
  readonly claim: Claim | undefined;
  /** Sends the launcher a line. */
  tell(line: string): void;
  /** Sends it the last one, once. */
  end(line: string): void;
}

/**
 * The slots in the hand-over's folder. The first launcher has created them (`1`, `2`, …), as
 * Node.js cannot create a FIFO; a launcher takes one by creating the file `cN`, which must not
 * exist.
 *
 * @returns takes the slot that a launcher has taken; undefined for any other name, or a slot that
 * was taken before
 */
export function openSlots(folder: string): (name: string) => Slot | undefined {
  const inFolder = (name: string) => path.join(folder, name);
  const free = new Map<string, number>();
  let last = 0;
  let isMaking = false;

  const open = (file: string, name: string): void => {
    free.set(name, openSync(inFolder(file), constants.O_RDWR | constants.O_NONBLOCK));
    last = Math.max(last, Number(name));
  };

  /** Without more slots, later launches start their own servers: not a reason to fail. */
  const makeMore = (): void => {
    isMaking = true;
    const names = Array.from({ length: MORE_SLOTS }, (_, index) => String(last + index + 1));
    // Loaded only now: hardly any command launches so often.
    const { execFile } = require("node:child_process") as typeof import("node:child_process");
    const hidden = names.map((name) => inFolder(`.${name}`));
    execFile("mkfifo", hidden, (error) => {
      if (error !== null) return;
      isMaking = false;
      // It fails when too many files are open, or the folder has gone.
      quietly(() => {
        for (const name of names) {
          // Opened before a launcher can find it: the other end must exist by then.
          open(`.${name}`, name);
          renameSync(inFolder(`.${name}`), inFolder(name));
        }
      });
    });
  };

  // One that cannot be opened has its end, and its launcher starts its own server.
  for (const name of readdirSync(folder))
    if (/^[1-9]\d*$/.test(name)) quietly(() => open(name, name));
  return (name) => {
    const descriptor = free.get(name);
    if (descriptor === undefined) return undefined;
    free.delete(name);
    const text = quietly(() => readFileSync(inFolder(`c${name}`), "utf8")) ?? "";
    // Only the name is removed. The claim stays, so that a launcher that listed the folder earlier
    // does not take the slot again.
    quietly(() => unlinkSync(inFolder(name)));
    if (free.size < FEW_SLOTS && !isMaking) makeMore();
    const tell = (line: string): void => void writeSync(descriptor, `${line.trimEnd()}\n`);
    return {
      descriptor,
      claim: parseClaim(text),
      tell,
      end: (line) => {
        tell(line);
        closeSync(descriptor);
      },
    };
  };
}
