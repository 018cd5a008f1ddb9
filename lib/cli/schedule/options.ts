/** The options of `iam-tokens schedule`, as commander gives them. */
export interface ScheduleOptions {
  readonly every?: string;
  readonly cron?: string;
  readonly missed?: string;
  readonly startDelay?: string;
  readonly longestApply?: string;
  readonly clock?: string;
  readonly lifetime?: string;
  readonly pushed?: true;
  readonly svg?: string;
  readonly json?: true;
}
