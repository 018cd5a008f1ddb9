/** The options of `iam-tokens run`, as commander gives them. */
export interface RunOptions {
  /** False with --no-cache. */
  readonly cache: boolean;
  readonly cacheEntries?: string;
  readonly quiet?: true;
  readonly json?: string;
}
