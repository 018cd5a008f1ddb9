import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { cacheFolder } from "../support/cache";
import { stillRunning } from "../support/processes";
import { packageRoot } from "../support/project";
import type { Machine } from "./machine";

/** The parts of the machine that a probe could change for everybody. */
interface Shared {
  readonly mounts: readonly string[];
  /** Processors whose programs the kernel gives to an emulator. */
  readonly emulated: readonly string[];
}

/** A busy emulator needs its time, even to end. */
export const GONE_MS = 60_000;

/** The state of the machine before a probe. */
export function sharedState(): Shared {
  const mounts = "/proc/self/mounts";
  const emulated = "/proc/sys/fs/binfmt_misc";
  return {
    mounts: existsSync(mounts) ? readFileSync(mounts, "utf8").trimEnd().split("\n") : [],
    emulated: existsSync(emulated) ? readdirSync(emulated) : [],
  };
}

/**
 * Rejects with anything that a closed machine has left: a process (such as Wine's server), its
 * folder, a mount or an emulator.
 */
export async function checkNothingLeft(machine: Machine, before: Shared): Promise<void> {
  const now = sharedState();
  const places = [dirname(machine.work), cacheFolder(), packageRoot, "/binfmt_misc"];
  const isOurs = (line: string): boolean => places.some((place) => line.includes(place));
  const left = [
    ...(await stillRunning(machine.marker, GONE_MS)).map(({ command }) => `the process ${command}`),
    ...(existsSync(machine.work) ? [`the folder ${machine.work}`] : []),
    ...added(before.mounts, now.mounts)
      .filter(isOurs)
      .map((line) => `the mount ${line}`),
    ...added(before.emulated, now.emulated).map((name) => `the emulator ${name}`),
  ];
  if (left.length > 0) throw new Error(`Left behind: ${left.join("; ")}.`);
}

function added(before: readonly string[], now: readonly string[]): readonly string[] {
  return now.filter((each) => !before.includes(each));
}
