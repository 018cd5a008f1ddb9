import { readFileSync, readlinkSync } from "node:fs";

/** The one variable in which the launches of a Terraform process differ. */
const CLIENT_CERTIFICATE = "PLUGIN_CLIENT_CERT=";

/** The environment that a process was started with, less what is each launch's own; undefined when it cannot be read. */
export function startEnvironmentOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1")
      .split("\0")
      .filter((entry) => !entry.startsWith(CLIENT_CERTIFICATE))
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
