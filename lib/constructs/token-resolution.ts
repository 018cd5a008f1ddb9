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
  /**
   * A Terraform variable, whose value `await resolveTokens(app)` issues before `app.synth()`. For remote runs, and for machines where no
   * provider of ours can start. The variable is ephemeral, and its value stands in one file beside the stack that only its owner
   * can read; with `allowInState: true` it is an ordinary sensitive variable, for outputs and arguments, and then its value stands in saved
   * plans and in the state too.
   */
  SYNTH = "synth",
}
