import type { CliContext } from "../cli-context";
import type { Project } from "../stacks";
import type { Finding } from "./finding";
import type { Service } from "./services";

/** Examines one thing, and changes nothing. It has its own time limits. */
export type Check = (
  context: DoctorContext,
) => Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>;

/** Everything that checks use. */
export interface DoctorContext extends Pick<CliContext, "env" | "now" | "version"> {
  /** The folder to check. */
  readonly folder: string;
  readonly project: Project;
  /** The Terraform or OpenTofu that the CDKTF command line runs. */
  readonly binary: string;
  readonly services: readonly Service[];
  /** The value of --issue: true without a project. */
  readonly issue: string | true | undefined;
}
