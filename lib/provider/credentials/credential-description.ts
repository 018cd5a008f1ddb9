import type { AuthUrl } from "../../tokens";
import type { SecretReference } from "../secrets/secret-reference";

/** A file that an argument or a variable names. */
export interface FileReference {
  readonly path: string;
  /** How messages call what named it. */
  readonly origin: string;
}

/** Whose credentials for which service: all that can be known before a secret is read. */
export interface CredentialDescription {
  /** What gave address, account, user and password: all four come from one source. */
  readonly source: "block" | "cloud" | "environment";
  readonly authUrl: AuthUrl;
  readonly accountId: string;
  readonly userName: string;
  readonly password: SecretReference;
  /**
   * The project that OS_PROJECT_NAME or the cloud names, and how messages call what did. Not
   * checked yet: only some tokens need it.
   */
  readonly project?: { readonly name: string; readonly origin: string };
  readonly caFile?: FileReference;
  readonly clientCertificate?: { readonly cert: FileReference; readonly key: FileReference };
  /**
   * What the source says and is not done. One text: of warnings alike Terraform shows the first.
   */
  readonly remark?: string;
}
