import { readFileSync, readlinkSync } from "node:fs";

/**
 * In these the launches of one Terraform process differ: the second has the same numbers in an
 * order of chance.
 */
const OF_EACH_LAUNCH = /^PLUGIN_(CLIENT_CERT|PROTOCOL_VERSIONS)=/;

/**
 * The environment that a process was started with, less what is each launch's own; undefined when
 * it cannot be read.
 */
export function startEnvironmentOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1")
      .split("\0")
      .filter((entry) => !OF_EACH_LAUNCH.test(entry))
      .join("\0");
  } catch {
    return undefined;
  }
}

/** The working folder of a process; undefined when it cannot be read. */
export function workingFolderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
