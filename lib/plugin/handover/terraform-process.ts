import { fstatSync, statSync } from "node:fs";
import path from "node:path";
import type { Claim } from "./claim";
import { type HandoverRequest, SLOT_DESCRIPTOR } from "./handover-request";
import { readProcessStat } from "./process-stat";
import { startEnvironmentOf, workingFolderOf } from "./surroundings-of-launch";

/**
 * The Terraform process whose launches are served, and what they have in common. It is asked before
 * a launch is taken, since this process answers by its own environment and working folder: no
 * launch that would see anything else may get it.
 */
export class TerraformProcess {
  readonly #environment: string;
  readonly #workingFolder: string;

  private constructor(
    private readonly pid: number,
    private readonly startTime: string,
    private readonly program: string,
    environment: string,
    workingFolder: string,
  ) {
    this.#environment = environment;
    this.#workingFolder = workingFolder;
  }

  /**
   * @param program the program of this process: `process.argv[1]`
   * @returns undefined when any of it cannot be seen here, or is not as the launcher says
   */
  static of(
    { terraform, startTime, launcher }: HandoverRequest,
    program: string,
  ): TerraformProcess | undefined {
    const environment = startEnvironmentOf(launcher);
    const workingFolder = workingFolderOf(terraform);
    if (environment === undefined || workingFolder === undefined || workingFolder !== process.cwd())
      return undefined;
    if (readProcessStat(launcher)?.parent !== terraform) return undefined;
    const found = new TerraformProcess(terraform, startTime, program, environment, workingFolder);
    return found.isThere() ? found : undefined;
  }

  /** Whether it still runs: the same process, not another one of the same id. */
  isThere(): boolean {
    return readProcessStat(this.pid)?.startTime === this.startTime;
  }

  /**
   * Whether a claim is that of a launch of this Terraform process, which would start the same
   * program in the same surroundings.
   *
   * That the process of the claimed id holds the claimed slot open proves that the id means the
   * same process here and there: a launcher in another PID namespace that shares the folder cannot
   * be taken for one of ours.
   */
  launches({ launcher, program }: Claim, slot: number): boolean {
    return (
      readProcessStat(launcher)?.parent === this.pid &&
      this.isThere() &&
      holds(launcher, slot) &&
      path.resolve(this.#workingFolder, program) === this.program &&
      workingFolderOf(this.pid) === this.#workingFolder &&
      startEnvironmentOf(launcher) === this.#environment
    );
  }
}

function holds(launcher: number, slot: number): boolean {
  try {
    const theirs = statSync(`/proc/${launcher}/fd/${SLOT_DESCRIPTOR}`, { bigint: true });
    const ours = fstatSync(slot, { bigint: true });
    return theirs.ino === ours.ino && theirs.dev === ours.dev;
  } catch {
    return false;
  }
}
