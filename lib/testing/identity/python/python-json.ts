import { isRecord, sortedEntries } from "./python-text";

/** JSON as Keystone writes its results: ASCII only, a blank behind commas and colons. */
export function toSpacedJson(value: unknown): string {
  return write(value, { comma: ", ", colon: ": ", sorted: false });
}

/**
 * JSON as Keystone writes its errors: ASCII only, no blanks, members sorted, and the end of a line
 * behind it.
 */
export function toErrorJson(value: unknown): string {
  return `${write(value, { comma: ",", colon: ":", sorted: true })}\n`;
}

interface Style {
  readonly comma: string;
  readonly colon: string;
  readonly sorted: boolean;
}

function write(value: unknown, style: Style): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, style)).join(style.comma)}]`;
  if (!isRecord(value)) return toAscii(JSON.stringify(value));
  const entries = style.sorted ? sortedEntries(value) : Object.entries(value);
  const members = entries.map(
    ([key, member]) => `${toAscii(JSON.stringify(key))}${style.colon}${write(member, style)}`,
  );
  return `{${members.join(style.comma)}}`;
}

function toAscii(json: string): string {
  return json.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
