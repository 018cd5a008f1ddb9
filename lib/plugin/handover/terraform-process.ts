import path from "node:path";
import { type HandoverRequest, SLOT_DESCRIPTOR } from "./handover-request";
import { readProcessStat, sharesFile, startEnvironmentOf, workingFolderOf } from "./proc";
import type { Claim } from "./slots";

/**
 * In these the launches of one Terraform process differ: the second has the same numbers in an
 * order of chance.
 */
const OF_EACH_LAUNCH = /^PLUGIN_(CLIENT_CERT|PROTOCOL_VERSIONS)=/;

/**
 * The Terraform process whose launches are served, and what they have in common. It is asked before
 * a launch is taken, since this process answers by its own environment and working folder: no
 * launch that would see anything else may get it.
 */
export class TerraformProcess {
  private constructor(
    private readonly pid: number,
    private readonly startTime: string,
    private readonly program: string,
    private readonly environment: string,
    private readonly workingFolder: string,
  ) {}

  /**
   * @param program the program of this process: `process.argv[1]`
   * @returns undefined when any of it cannot be seen here, or is not as the launcher says
   */
  static of(
    { terraform, startTime, launcher }: HandoverRequest,
    program: string,
  ): TerraformProcess | undefined {
    const environment = environmentOf(launcher);
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
      sharesFile(launcher, SLOT_DESCRIPTOR, slot) &&
      path.resolve(this.workingFolder, program) === this.program &&
      workingFolderOf(this.pid) === this.workingFolder &&
      environmentOf(launcher) === this.environment
    );
  }
}

/** Less what is each launch's own. */
function environmentOf(launcher: number): string | undefined {
  return startEnvironmentOf(launcher)
    ?.filter((entry) => !OF_EACH_LAUNCH.test(entry))
    .join("\0");
}
