import { defined, escaped, IamTokensError, type Secret } from "../../tokens";

/** A clouds or secure file. */
export interface CloudsFile {
  /** Absolute. */
  readonly path: string;
  /** The real folder, without links: a link in the project may lead to a file outside. */
  readonly realFolder: string;
  /**
   * Found by a relative path: it came with the project, perhaps as a clone of somebody's
   * repository.
   */
  readonly ofProject: boolean;
}

interface Place {
  readonly file: CloudsFile;
  /** From 1. */
  readonly line: number;
}

/**
 * A scalar. Its text counts as a secret until its key says otherwise, so that a tree can be logged.
 */
export interface CloudScalar extends Place {
  readonly kind: "scalar";
  /** As it is written, without quotes. */
  readonly text: Secret;
  /**
   * `text` if OpenStack's clients (YAML 1.1) use it as it is written. `other` is a number, a date
   * or similar: `0123` is 83, `12:34` is 754, `1.10` is 1.1.
   */
  readonly form: "text" | "null" | "true" | "false" | "other";
}

/** A list. */
interface CloudList extends Place {
  readonly kind: "list";
  readonly items: readonly CloudValue[];
}

/** A mapping, by its keys as they are written. */
export interface CloudMapping extends Place {
  readonly kind: "mapping";
  readonly entries: ReadonlyMap<string, CloudValue>;
}

/** A value of a clouds file, with its place. */
export type CloudValue = CloudScalar | CloudList | CloudMapping;

/** The value as a mapping. @throws ERR_CLOUDS_FILE_INVALID */
export function mappingOf(value: CloudValue, what: string): CloudMapping {
  if (value.kind === "mapping") return value;
  throw invalidFile(value.file, `${what} is not a mapping`, { line: value.line });
}

/** Whether a value is present but empty. */
export function isNull(value: CloudValue): boolean {
  return value.kind === "scalar" && value.form === "null";
}

/**
 * Error of an unusable clouds file. It names the place, and never quotes its content: it may be the
 * password.
 */
export function invalidFile(
  file: Pick<CloudsFile, "path">,
  problem: string,
  more: { line?: number; remedy?: string } = {},
): IamTokensError {
  const where = more.line === undefined ? "" : `, line ${more.line}`;
  return new IamTokensError(
    "ERR_CLOUDS_FILE_INVALID",
    `The file ${escaped(file.path)}${where}: ${problem}.`,
    defined({ remedy: more.remedy }),
  );
}
