/** The options of `iam-tokens issue`, as commander gives them. */
export interface IssueOptions {
  readonly scope?: string;
  readonly project?: string;
  readonly cloud?: string;
  readonly passwordFile?: string;
  readonly minRemaining?: string;
  readonly header?: true;
  /** True when no name is given. */
  readonly env?: string | true;
  readonly json?: true;
  readonly show?: true;
}
