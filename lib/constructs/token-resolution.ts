/** How a token reaches what uses it. */
export enum TokenResolution {
  /**
   * An `ephemeral` block: the token lands nowhere. For provider blocks, write-only arguments and provisioners. Needs Terraform
   * 1.10 or OpenTofu 1.11.
   */
  EPHEMERAL = "ephemeral",
  /**
   * A `data` block: the token stands in plan and state, as a sensitive value. For ordinary arguments and outputs, and for older
   * Terraform. Each plan has a new token.
   */
  DATA = "data",
}
