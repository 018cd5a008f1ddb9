import path from "node:path";
import { PluginStartError } from "../faults";
import { isSameFile, readProcessStat, startEnvironmentOf, workingFolderOf } from "./proc";
import type { Claim } from "./slots";

/** The first argument of a server for all launches of one Terraform process. */
const HANDOVER_ARGUMENT = "handover";

/** The launcher's descriptor of its slot, which the server compares. */
export const SLOT_DESCRIPTOR = 4;

/** Request of the launcher to the server that it starts in the background. */
export interface HandoverRequest {
  /** The folder to create. */
  readonly folder: string;
  /** The process id of the Terraform process. */
  readonly terraform: number;
  /** Its start time: see `ProcessStat`. */
  readonly startTime: string;
  /** The process id of the launcher. */
  readonly launcher: number;
}

/**
 * Reads the arguments of the process; undefined if it serves only the launch that has started it.
 */
export function parseHandoverRequest(args: readonly string[]): HandoverRequest | undefined {
  const [first, folder = "", terraform, startTime = "", launcher] = args;
  if (first !== HANDOVER_ARGUMENT) return undefined;
  return { folder, terraform: Number(terraform), startTime, launcher: Number(launcher) };
}

/**
 * The differences between launches of one Terraform process: the second variable has the same
 * numbers in random order.
 */
const OF_EACH_LAUNCH = /^PLUGIN_(CLIENT_CERT|PROTOCOL_VERSIONS)=/;

/**
 * The Terraform process whose launches are served, and the context that they share. Every launch is
 * compared with it, because this process answers with its own environment and working folder: a
 * launch with a different context must not be served.
 */
export interface TerraformProcess {
  /** Whether it still runs: the same process, not a later one with the same id. */
  isThere(): boolean;
  /**
   * Whether a claim comes from a launch of this Terraform process that would start the same program
   * in the same context.
   *
   * If the process with the claimed id has the claimed slot open, the id means the same process
   * here and there: a launcher in another PID namespace that shares the folder cannot pass as one
   * of ours.
   */
  launches(claim: Claim, slot: number): boolean;
}

/**
 * @param own the program of this process: `process.argv[1]`
 * @throws PluginStartError if anything of it cannot be read here, or differs from the launcher's
 * request
 */
export function findTerraform(
  { terraform: pid, startTime, launcher: first }: HandoverRequest,
  own: string,
): TerraformProcess {
  const environment = environmentOf(first);
  const workingFolder = workingFolderOf(pid);
  const isThere = () => readProcessStat(pid)?.startTime === startTime;
  if (
    environment === undefined ||
    workingFolder !== process.cwd() ||
    readProcessStat(first)?.parent !== pid ||
    !isThere()
  )
    throw new PluginStartError("The Terraform process is not visible from here.");
  return {
    isThere,
    launches: ({ launcher, program }, slot) =>
      readProcessStat(launcher)?.parent === pid &&
      isThere() &&
      isSameFile(launcher, SLOT_DESCRIPTOR, slot) &&
      path.resolve(workingFolder, program) === own &&
      workingFolderOf(pid) === workingFolder &&
      environmentOf(launcher) === environment,
  };
}

/** Without the variables that differ for each launch. */
function environmentOf(launcher: number): string | undefined {
  return startEnvironmentOf(launcher)
    ?.filter((entry) => !OF_EACH_LAUNCH.test(entry))
    .join("\0");
}
