import { Decimal } from "./value";

const DECIMAL = /^[+-]?(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,4}))?$/;
/**
 * Terraform keeps 512 bits, about 155 digits; whatever is far beyond that is not a number but an
 * attack on our memory.
 */
const MAX_TEXT = 1024;
const MAX_EXPONENT = 4096;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/**
 * A number from its decimal text, in canonical form: `number` where that is exactly the value,
 * `bigint` for larger integers, else {@link Decimal}. 0.5 is a number; 0.1 is a Decimal, because no
 * double is 0.1 and Terraform would see the difference. Undefined when the text is no number.
 */
export function fromNumberText(text: string): number | bigint | Decimal | undefined {
  const match = text.length > MAX_TEXT ? null : DECIMAL.exec(text);
  const [whole = "", fraction = "", exponentText = "0"] = match === null ? [] : match.slice(1);
  const exponent = Number(exponentText) - fraction.length;
  if (match === null || whole + fraction === "" || Math.abs(exponent) > MAX_EXPONENT)
    return undefined;
  const digits = BigInt(`${whole}${fraction}`) * (text.startsWith("-") ? -1n : 1n);
  if (exponent >= 0) return fromInteger(digits * 10n ** BigInt(exponent));
  const denominator = 10n ** BigInt(-exponent);
  if (digits % denominator === 0n) return fromInteger(digits / denominator);
  const nearest = Number(text);
  return isExactly(nearest, digits, denominator) ? nearest : new Decimal(text);
}

/** An integer as `number` where that is exact, else as it is. */
export function fromInteger(value: bigint): number | bigint {
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : value;
}

/** A double in canonical form: a whole one that is too large to count with is a bigint. */
export function fromDouble(value: number): number | bigint {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value + 0;
}

/**
 * What stands on the wire for a number, as Terraform's own encoder writes it: integers of 64 bits
 * as such, doubles as doubles, the rest as decimal text. Undefined when it is no number at all.
 */
export function toWireNumber(
  value: number | bigint | Decimal,
): number | bigint | string | undefined {
  if (typeof value === "bigint")
    return value >= INT64_MIN && value <= INT64_MAX ? value : value.toString();
  if (value instanceof Decimal)
    return fromNumberText(value.text) === undefined ? undefined : value.text;
  if (Number.isNaN(value)) return undefined;
  if (!Number.isInteger(value)) return value;
  if (!Number.isSafeInteger(value)) return toWireNumber(BigInt(value));
  // The encoder would write whole numbers above 32 bits as doubles unless they are bigint.
  return Math.abs(value) > 0x7fffffff ? BigInt(value) : value;
}

/** Whether a double is exactly digits / denominator. */
function isExactly(value: number, digits: bigint, denominator: bigint): boolean {
  if (!Number.isFinite(value)) return false;
  let scaled = value;
  let power = 0n;
  // Doubling a double is exact; after at most 1074 steps it is whole.
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    power += 1n;
  }
  return BigInt(scaled) * denominator === digits * 2n ** power;
}
