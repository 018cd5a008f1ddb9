import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";

/** Fewer free slots than this, and more are made. */
const FEW_SLOTS = 12;
const MORE_SLOTS = 64;
/** Far above what a launch writes: a number, a path, a certificate. */
const MAX_CLAIM_BYTES = 16_384;

/** What a launcher leaves in the folder: that it takes a slot, and for which client. */
export interface Claim {
  /** The launcher's process id, as it sees it. */
  readonly launcher: number;
  /** The program that it would start. */
  readonly program: string;
  /** The certificate of its client, in DER. */
  readonly certificate: Uint8Array;
}

/**
 * Three parts, each from a line of its own on: process id, program, certificate in PEM. Undefined
 * when it is nothing of the kind.
 */
export function parseClaim(text: string): Claim | undefined {
  const [launcher = "", program = "", ...pem] = text.split("\n");
  const certificate = derOf(pem.join("\n"));
  if (!/^[1-9]\d{0,9}$/.test(launcher) || program === "" || certificate === undefined)
    return undefined;
  return { launcher: Number(launcher), program, certificate };
}

/**
 * The one certificate of a PEM text. It is compared with what TLS presents, never judged: so it is
 * not parsed any further.
 */
export function derOf(pem: string): Uint8Array | undefined {
  const base64 =
    /^-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/=\n]+)-----END CERTIFICATE-----\s*$/.exec(pem)?.[1];
  return base64 === undefined ? undefined : Buffer.from(base64, "base64");
}

/**
 * A FIFO by which this process speaks to one launcher, and by whose end the launcher notices that
 * this process is gone.
 */
export interface Slot {
  /** Open for reading and writing: opened for writing alone it would wait for a reader. */
  readonly descriptor: number;
  /** Undefined when it cannot be read, or is none. */
  readonly claim: Claim | undefined;
  /** Sends the launcher a line. */
  tell(line: string): void;
  /**
   * Lets the launcher go. It reads what it was told before; with nothing told it starts a server of
   * its own.
   */
  close(): void;
}

/**
 * The slots in the hand-over's folder. The first launcher has made them (`1`, `2`, …), as Node.js
 * can make no FIFO; a launcher takes one by writing the file `cN`, which must not exist.
 */
export class Slots {
  readonly #free = new Map<string, number>();
  #last = 0;
  #making = false;

  constructor(private readonly folder: string) {
    for (const name of readdirSync(folder)) if (/^[1-9]\d*$/.test(name)) this.#open(name, name);
  }

  /** The slot that a launcher has taken; undefined for a name that is none, or was taken before. */
  take(name: string): Slot | undefined {
    const descriptor = this.#free.get(name);
    if (descriptor === undefined) return undefined;
    this.#free.delete(name);
    const claim = this.#readClaim(`c${name}`);
    // The launcher has it open. The claim stays: who has found the slot a moment ago must find that
    // it is taken.
    rmSync(path.join(this.folder, name), { force: true });
    if (this.#free.size < FEW_SLOTS) this.#makeMore();
    let open = true;
    return {
      descriptor,
      claim,
      tell: (line) => {
        if (open) writeSync(descriptor, `${line.trimEnd()}\n`);
      },
      close: () => {
        if (open) closeSync(descriptor);
        open = false;
      },
    };
  }

  #open(file: string, name: string): void {
    const descriptor = openSync(
      path.join(this.folder, file),
      constants.O_RDWR | constants.O_NONBLOCK,
    );
    this.#free.set(name, descriptor);
    this.#last = Math.max(this.#last, Number(name));
  }

  #readClaim(file: string): Claim | undefined {
    try {
      const text = readFileSync(path.join(this.folder, file), "utf8");
      return text.length > MAX_CLAIM_BYTES ? undefined : parseClaim(text);
    } catch {
      return undefined;
    }
  }

  /** Without more slots later launches start servers of their own: no reason to fail. */
  #makeMore(): void {
    if (this.#making) return;
    this.#making = true;
    const names = Array.from({ length: MORE_SLOTS }, (_, index) => String(this.#last + index + 1));
    const hidden = names.map((name) => path.join(this.folder, `.${name}`));
    // Loaded only now: hardly any command launches so often.
    const { execFile } = require("node:child_process") as typeof import("node:child_process");
    execFile("mkfifo", hidden, (error) => {
      if (error !== null) return;
      this.#making = false;
      try {
        for (const name of names) {
          const file = path.join(this.folder, `.${name}`);
          if (!existsSync(file)) continue;
          // Opened before it can be found: a launcher that finds it must find its other end.
          this.#open(`.${name}`, name);
          renameSync(file, path.join(this.folder, name));
        }
      } catch {
        // Too many files are open, or the folder is gone.
      }
    });
  }
}
