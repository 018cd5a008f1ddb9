import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MARKER } from "./processes";

/** A new home, temporary folder and environment for the commands of one test. */
export type Scratch = ReturnType<typeof makeScratch>;

/** Makes a scratch. Its path is short: a Unix socket below it must stay within 104 bytes. */
export function makeScratch() {
  const folder = mkdtempSync(join(tmpdir(), "iam-"));
  const home = join(folder, "home");
  const tmp = join(folder, "t");
  for (const path of [home, tmp]) mkdirSync(path, { mode: 0o700 });
  /** On every process that runs with this environment: see `stillRunning`. */
  const marker = randomUUID();
  /**
   * Nothing else is from this machine. And Terraform need not tidy up its memory, which takes a third
   * of its time.
   */
  const env: Readonly<Record<string, string>> = {
    ...{ PATH: process.env.PATH ?? "", HOME: home, TMPDIR: tmp, [MARKER]: marker, GOGC: "400" },
  };
  return {
    ...{ folder, home, tmp, env, marker },
    /** Files that commands have left in their temporary folder. */
    leftovers: () => readdirSync(tmp, { recursive: true }).map(String).sort(),
    // On Windows, a program that has just ended may still have its files.
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** A new one for each test, or one for all tests of a file or block. */
export function useScratch(per: "test" | "block" = "test"): Scratch {
  const scratch = {} as Scratch;
  const [before, after] = per === "test" ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(() => {
    Object.assign(scratch, makeScratch());
  });
  after(() => scratch.remove());
  return scratch;
}
