/** Attribute names, map keys and list indexes from the outside in. */
export type CtyPath = readonly (string | number)[];

/**
 * A value does not have the shape that its type demands. The message names shapes and the path,
 * never the value: it may be a secret.
 */
export class CtyError extends Error {
  constructor(
    readonly problem: string,
    readonly path: CtyPath = [],
  ) {
    super(path.length === 0 ? problem : `${path.join(".")}: ${problem}`);
    this.name = "CtyError";
  }
}

/** What a raw value is, for messages. */
export function shapeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Uint8Array) return "bytes";
  switch (typeof value) {
    case "object":
      return "an object";
    case "undefined":
      return "nothing";
    case "boolean":
      return "a bool";
    case "bigint":
      return "a number";
    default:
      return `a ${typeof value}`;
  }
}
