/** A value that Terraform does not know yet (it is known after apply). */
export const UNKNOWN: unique symbol = Symbol("unknown");

/**
 * A value of Terraform's type system. Null is null; lists, sets and tuples are arrays; maps and
 * objects are plain objects. Numbers are `number` where that is exact, `bigint` for larger
 * integers, else {@link Decimal}.
 */
export type CtyValue =
  | typeof UNKNOWN
  | null
  | string
  | number
  | bigint
  | Decimal
  | boolean
  | readonly CtyValue[]
  | CtyObject;

/**
 * An object or a map. Keys that a map could inherit (`__proto__`) are ordinary keys: made with a
 * null prototype.
 */
export interface CtyObject {
  readonly [key: string]: CtyValue;
}

/** A number that neither `number` nor `bigint` holds exactly, as its decimal text. */
export class Decimal {
  constructor(readonly text: string) {}
}
