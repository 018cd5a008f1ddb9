import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseHandoverRequest } from "../../plugin/handover/handover-request";
import { parseProcessStat } from "../../plugin/handover/proc";

/** A process of the provider that nobody needs any more. */
export interface LeftOverProcess {
  readonly pid: number;
  readonly program: string;
}

/**
 * What takes over processes whose parent has ended. Terraform itself may be the first process of a
 * container.
 */
const TAKES_OVER = /^(systemd|init|tini|dumb-init|docker-init|s6-svscan|containerd-shim|launchd)/;

/**
 * The programs of the provider: launched by Terraform from beside a stack or from a mirror, or
 * started by `iam-tokens run`.
 */
const OURS =
  /\/npm\.invalid\/cdktf-iam-tokens\/iam\/[^/]+\/[^/]+\/main\.cjs$|\/dist\/cli\/attached\.js$/;

/**
 * Processes of the provider whose Terraform, or run, is gone. Linux only: elsewhere nothing is
 * found.
 */
export function leftOverProcesses(proc: string): readonly LeftOverProcess[] {
  return numbersIn(proc).flatMap((pid) => {
    const [, program = "", ...args] = read(proc, pid, "cmdline").split("\0");
    if (!OURS.test(program)) return [];
    const stat = parseProcessStat(read(proc, pid, "stat"));
    if (stat === undefined) return [];
    const request = parseHandoverRequest(args);
    const gone =
      request === undefined
        ? isOrphan(proc, stat.parent)
        : parseProcessStat(read(proc, request.terraform, "stat"))?.startTime !== request.startTime;
    return gone ? [{ pid, program }] : [];
  });
}

/** Whether the process that started it has ended: then the system has given it another parent. */
function isOrphan(proc: string, parent: number): boolean {
  const name = read(proc, parent, "comm").trim();
  if (/terraform|tofu|terragrunt|node/i.test(name)) return false;
  return parent <= 1 || TAKES_OVER.test(name);
}

function numbersIn(proc: string): readonly number[] {
  try {
    return readdirSync(proc)
      .filter((name) => /^[1-9]\d*$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** A process may end between two reads, or belong to somebody else. */
function read(proc: string, pid: number, file: string): string {
  try {
    return readFileSync(join(proc, String(pid), file), "latin1");
  } catch {
    return "";
  }
}
