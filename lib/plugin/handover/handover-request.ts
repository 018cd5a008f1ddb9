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
  const [first, folder = "", terraform = "", startTime = "", launcher = ""] = args;
  if (first !== HANDOVER_ARGUMENT || !folder.startsWith("/") || !/^\d+$/.test(startTime))
    return undefined;
  if (![terraform, launcher].every((pid) => /^[1-9]\d{0,9}$/.test(pid))) return undefined;
  return { folder, terraform: Number(terraform), startTime, launcher: Number(launcher) };
}
