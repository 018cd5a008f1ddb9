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

/** Kinds of scalars: see `scalarForm`. */
export type ScalarForm = "text" | "decimal" | "boolean" | "null" | "other";

/** A scalar. It counts as a secret until its key says otherwise, so that a tree can be logged. */
export interface CloudScalar extends Place {
  readonly kind: "scalar";
  readonly text: Secret;
  readonly form: ScalarForm;
}

/** A list. */
interface CloudList extends Place {
  readonly kind: "list";
  readonly items: readonly CloudValue[];
}

/** A mapping. It has only keys that are strings: no setting's name is a number or a date. */
export interface CloudMapping extends Place {
  readonly kind: "mapping";
  readonly entries: ReadonlyMap<string, CloudValue>;
  /** Keys that YAML does not read as strings. */
  readonly otherKeys: ReadonlySet<string>;
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
