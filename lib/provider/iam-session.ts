import type { ProviderBlock } from "./credentials/provider-block";

/**
 * What is kept for one configured provider: its block as it was given. No secret is read before a
 * token is asked for.
 */
export interface IamSession {
  readonly block: ProviderBlock;
  /** Refusals that this run of Terraform has been told in full. */
  readonly toldRefusals: Set<string>;
  /** Remarks about its credentials that it has been told. */
  readonly toldRemarks: Set<string>;
}
