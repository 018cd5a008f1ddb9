import { defined, IamTokensError, type Secret } from "../../tokens";

/** A clouds or secure file. */
export interface CloudsFile {
  /** Absolute. */
  readonly path: string;
  /** Links followed: a link that came with the project may lead to a file that did not. */
  readonly realFolder: string;
  /** Found by a relative path: it came with the project, as a clone of somebody's repository. */
  readonly ofProject: boolean;
}

interface Place {
  readonly file: CloudsFile;
  /** From 1. */
  readonly line: number;
}

/** What a scalar is: see `scalarForm`. */
export type ScalarForm = "text" | "decimal" | "boolean" | "null" | "other";

/** A scalar: a secret until its key says that it is none, so that a tree can be inspected. */
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

/** A mapping. Its keys are the texts among them: no setting has a number or a date for its name. */
export interface CloudMapping extends Place {
  readonly kind: "mapping";
  readonly entries: ReadonlyMap<string, CloudValue>;
  /** Keys that YAML does not read as a text. */
  readonly otherKeys: ReadonlySet<string>;
}

/** What a clouds file says somewhere, with where it says so. */
export type CloudValue = CloudScalar | CloudList | CloudMapping;

/** The value as a mapping. @throws ERR_CLOUDS_FILE_INVALID */
export function mappingOf(value: CloudValue, what: string): CloudMapping {
  if (value.kind === "mapping") return value;
  throw invalidFile(value.file, `${what} is not a mapping`, { line: value.line });
}

/** Whether a value is given and says nothing. */
export function isNull(value: CloudValue): boolean {
  return value.kind === "scalar" && value.form === "null";
}

/**
 * A clouds file that cannot be used. Says where, and never what stands there: it may be the
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
    `The file ${JSON.stringify(file.path)}${where}: ${problem}.`,
    defined({ remedy: more.remedy }),
  );
}
