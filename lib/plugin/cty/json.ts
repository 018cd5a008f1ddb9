import { CtyError } from "./cty-error";
import { fromRaw, type RawForm } from "./from-raw";
import type { CtyType } from "./type";
import type { CtyValue } from "./value";

/** Strings (skipped) and numbers. JSON.parse would round numbers, so they are read as text and taken by their type. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

const form: RawForm = {
  entries: (raw) => (typeof raw === "object" && raw !== null && !Array.isArray(raw) ? Object.entries(raw) : undefined),
  dynamic: (raw) => {
    if (typeof raw !== "object" || raw === null || !("type" in raw) || !("value" in raw)) return undefined;
    return { type: raw.type, value: raw.value };
  },
};

/**
 * A value from the JSON of a DynamicValue or of a stored state. Unknown values have no JSON form.
 * Throws {@link CtyError} when it has another shape than its type.
 */
export function decodeJson(bytes: Uint8Array, type: CtyType): CtyValue {
  const text = Buffer.from(bytes).toString("utf8");
  let raw: unknown;
  try {
    JSON.parse(text);
    raw = JSON.parse(text.replace(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`)));
  } catch {
    // The parser's own message quotes what it read.
    throw new CtyError("the value is not well-formed JSON");
  }
  return fromRaw(raw, type, form);
}
