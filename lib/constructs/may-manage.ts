/** Whether a token may manage an area, as far as the spec says. */
export enum MayManage {
  YES = "yes",
  NO = "no",
  /** The spec does not show it. */
  UNKNOWN = "unknown",
}
