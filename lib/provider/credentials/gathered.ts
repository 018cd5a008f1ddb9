import type { IamTokensError } from "../../tokens";
import type { Part, Way } from "../../tokens/ways";
import type { SecretReference } from "../secrets/secret-reference";
import type { CredentialDescription } from "./credential-description";

/** What a source gives for a part. */
export interface Given {
  /** Its short name in a list of what is given: `password_env`, `OS_PASSWORD`, `auth.password`. */
  readonly name: string;
  /** Its name where it is wrong. @default `name` */
  readonly origin?: string;
  /** A text, or the place of a secret. A throwing getter would hide other mistakes. */
  readonly value: string | SecretReference;
}

/** The parts that one source gives, with their origins, and its words for what is wrong. */
export interface Gathered
  extends Pick<
    CredentialDescription,
    "source" | "project" | "caFile" | "clientCertificate" | "warning"
  > {
  readonly given: (part: Part) => Given | undefined;
  /** The ways that it names (OS_AUTH_TYPE), or all. */
  readonly ways: readonly Way[];
  /** The beginning of its sentences: "The provider block gives". */
  readonly gives: string;
  /** The error of a way that lacks some of its parts. */
  readonly incomplete: (lacking: readonly Part[], given: readonly string[]) => IamTokensError;
}
