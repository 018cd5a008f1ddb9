/** The options of `iam-tokens doctor`, as commander gives them. */
export interface DoctorOptions {
  readonly only?: string;
  readonly authUrl?: string;
  /** True when no project is given. */
  readonly issue?: string | true;
  readonly maxAge?: string;
  readonly output?: string;
  readonly json?: true;
}
