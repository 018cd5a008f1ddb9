/** What the resources that rotate get from outside. */
export interface RotationTools {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Makes an id that no other instance has. */
  readonly newId: () => string;
}
