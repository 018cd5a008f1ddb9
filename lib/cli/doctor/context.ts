import type { Reached } from "../../identity";
import type { CredentialDescription } from "../../provider/credentials/source";
import type { ProcessContext } from "../../provider/process/process-context";
import type { IamTokensError } from "../../tokens";
import type { CliContext } from "../cli-context";
import type { Finding } from "./finding";

/** Everything that checks use. */
export interface DoctorContext extends Pick<CliContext, "env" | "now" | "version" | "program"> {
  /** The folder to check. */
  readonly folder: string;
  /** The folders in it in which Terraform runs. */
  readonly stacks: readonly string[];
  /** The Terraform or OpenTofu that the CDKTF command line runs. */
  readonly binary: string;
  /** The one source of credentials outside of a stack; undefined if there is none. */
  readonly source: Source | undefined;
  /** Whether to run `terraform init`. */
  readonly init: boolean;
  readonly issue: boolean;
  /** The project of the token to issue. */
  readonly project: string | undefined;
}

/** Examines one thing, and changes nothing. It has its own time limits. */
export type Check = (
  context: DoctorContext,
) => Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>;

/** The one source of credentials: the environment, or a cloud. */
export type Source = Credentials | { readonly error: IamTokensError };

export interface Credentials {
  readonly error?: undefined;
  readonly description: CredentialDescription;
  readonly processContext: ProcessContext;
  /** Asks the service without a credential, once. */
  readonly ask: () => Promise<Answer | IamTokensError>;
}

export interface Answer {
  readonly url: URL;
  readonly reached: Reached;
}
