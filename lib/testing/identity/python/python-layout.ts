import { isRecord, sortedEntries, toPython } from "./python-text";

/**
 * A JSON value laid out over lines of a width, as Python's pretty-printer does: what fits stays on
 * its line, of what does not each member gets a line of its own, and long texts are broken behind
 * words.
 */
export function layOut(value: unknown, width: number): string {
  return lay(value, { width, indent: 0, behind: 0, level: 1 });
}

interface Place {
  readonly width: number;
  /** Columns before the value. */
  readonly indent: number;
  /** Columns that its end must leave free. */
  readonly behind: number;
  readonly level: number;
}

function lay(value: unknown, place: Place): string {
  const line = toPython(value, sortedEntries);
  if (columns(line) <= place.width - place.indent - place.behind) return line;
  if (typeof value === "string") return layText(value, line, place);
  const inner = { ...place, indent: place.indent + 1, level: place.level + 1 };
  const joint = `,\n${" ".repeat(inner.indent)}`;
  const behindOf = (index: number, count: number) => (index === count - 1 ? place.behind + 1 : 1);
  if (Array.isArray(value)) {
    const items = value.map((item, index) =>
      lay(item, { ...inner, behind: behindOf(index, value.length) }),
    );
    return `[${items.join(joint)}]`;
  }
  if (!isRecord(value)) return line;
  const entries = sortedEntries(value).map(([key, member], index, all) => {
    const start = `${toPython(key)}: `;
    return (
      start +
      lay(member, {
        ...inner,
        indent: inner.indent + columns(start),
        behind: behindOf(index, all.length),
      })
    );
  });
  return `{${entries.join(joint)}}`;
}

/** A long text becomes several, which Python would join again; at the top it stands in brackets. */
function layText(value: string, line: string, { width, level, ...place }: Place): string {
  const bare = level === 1 ? 1 : 0;
  const indent = place.indent + bare;
  const room = (last: boolean) => width - indent - (last ? place.behind + bare : 0);
  const lines = value.match(/[^\n\r]*(?:\r\n|\n|\r)|[^\n\r]+$/g) ?? [];
  const pieces = lines.flatMap((text, index) => {
    const isLast = index === lines.length - 1;
    return columns(toPython(text)) <= room(isLast)
      ? [toPython(text)]
      : words(text, (end) => room(end && isLast));
  });
  if (pieces.length === 1) return line;
  const joined = pieces.join(`\n${" ".repeat(indent)}`);
  return level === 1 ? `(${joined})` : joined;
}

function words(text: string, room: (end: boolean) => number): string[] {
  const parts = text.match(/\S*\s+|\S+$/g) ?? [];
  const pieces: string[] = [];
  let current = "";
  for (const [index, part] of parts.entries()) {
    const longer = current + part;
    if (columns(toPython(longer)) <= room(index === parts.length - 1)) {
      current = longer;
      continue;
    }
    if (current !== "") pieces.push(toPython(current));
    current = part;
  }
  return current === "" ? pieces : [...pieces, toPython(current)];
}

const columns = (text: string) => Array.from(text).length;
