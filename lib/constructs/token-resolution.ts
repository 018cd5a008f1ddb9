/** How a token reaches what uses it. */
export enum TokenResolution {
  /**
   * An `ephemeral` block: the token lands nowhere. For provider blocks, write-only arguments and
   * provisioners. Needs Terraform
   * 1.10 or OpenTofu 1.11.
   */
  EPHEMERAL = "ephemeral",
  /**
   * A `data` block: the token stands in plan and state, as a sensitive value. For ordinary
   * arguments and outputs, and for older Terraform. Each plan has a new token.
   */
  DATA = "data",
  /**
   * A `resource` block: the token stands in the state, as a sensitive value, stays the same between
   * applies, and is rotated in place ahead of its expiry. For outputs, ordinary arguments and
   * scheduled applies; not for provider blocks, as the plan that rotates it does not know the new
   * one. IAM tokens only: a static token does not expire.
   */
  ROTATING = "rotating",
  /**
   * A Terraform variable, whose value `await resolveTokens(app)` issues before `app.synth()`. For
   * remote runs, and for machines where no provider of ours can start. The variable is ephemeral,
   * and its value stands in one file beside the stack that only its owner can read; with
   * `allowInState: true` it is an ordinary sensitive variable, for outputs and arguments, and then
   * its value stands in saved plans and in the state too.
   */
  SYNTH = "synth",
}
