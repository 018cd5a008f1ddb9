import { CtyError, shapeOf } from "./cty-error";
import { fromRaw, type RawForm } from "./from-raw";
import type { CtyType } from "./type";
import type { CtyObject, CtyValue } from "./value";

/**
 * Strings (skipped) and numbers. JSON.parse would round numbers, so they are read as text and taken
 * by their type.
 */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

const form: RawForm = {
  entries: (raw) =>
    typeof raw === "object" && raw !== null && !Array.isArray(raw)
      ? Object.entries(raw)
      : undefined,
  dynamic: (raw) => {
    if (typeof raw !== "object" || raw === null || !("type" in raw) || !("value" in raw))
      return undefined;
    return { type: raw.type, value: raw.value };
  },
};

/**
 * A value from the JSON of a DynamicValue or of a stored state. Unknown values have no JSON form.
 * Throws {@link CtyError} when it has another shape than its type.
 */
export function decodeJson(bytes: Uint8Array, type: CtyType): CtyValue {
  return fromRaw(parse(bytes), type, form);
}

/**
 * The attributes of a stored state: those that the state lacks are null, and those that it has
 * beside are left out, so that a schema can get a new attribute, or lose one, without another
 * version. Throws {@link CtyError}.
 */
export function decodeStoredAttributes(
  bytes: Uint8Array,
  attributes: Readonly<Record<string, CtyType>>,
): CtyObject {
  const raw = parse(bytes);
  const stored = new Map(form.entries(raw) ?? []);
  if (form.entries(raw) === undefined)
    throw new CtyError(`the attributes of a block expected, not ${shapeOf(raw)}`);
  const result: Record<string, CtyValue> = Object.create(null);
  for (const [name, type] of Object.entries(attributes))
    result[name] = fromRaw(stored.get(name), type, form, [name]);
  return result;
}

/** The text is read with its numbers as texts: JSON.parse would round them. */
function parse(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes).toString("utf8");
  try {
    JSON.parse(text);
    return JSON.parse(
      text.replace(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`)),
    );
  } catch {
    // The parser's own message quotes what it read.
    throw new CtyError("the value is not well-formed JSON");
  }
}
