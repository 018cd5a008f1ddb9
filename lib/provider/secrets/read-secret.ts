import { isAbsolute, resolve } from "node:path";
import { defined, type ErrorCode, escaped, IamTokensError, type Secret } from "../../tokens";
import type { ProcessContext } from "../process/process-context";
import { type FileReading, type FileRule, readRegularFile } from "./read-regular-file";
import { assertFilePath, assertVariableName, type PlacedSecret } from "./secret-reference";
import { secretOfBytes, secretOfText } from "./secret-text";

const CODE_OF_FAILURE = {
  missing: "ERR_SECRET_MISSING",
  unreadable: "ERR_SECRET_UNREADABLE",
  "too large": "ERR_SECRET_TOO_LARGE",
} as const satisfies Record<string, ErrorCode>;

/**
 * Reads a secret from its place. Messages name the variable or the file, never the content.
 *
 * @throws ERR_SECRET_MISSING, ERR_SECRET_EMPTY, ERR_SECRET_UNREADABLE, ERR_SECRET_TOO_LARGE,
 * ERR_SECRET_NOT_UTF8
 * @param rule which files may be read
 */
export async function readSecret(
  reference: PlacedSecret,
  processContext: ProcessContext,
  rule?: FileRule,
): Promise<Secret> {
  switch (reference.kind) {
    case "value": {
      const text = reference.value.reveal();
      // Unchanged: nothing adds a newline to a variable by itself.
      secretOfText(reference.origin, text);
      return reference.value;
    }
    case "env":
      return readVariable(reference.name, reference.origin, processContext);
    case "file": {
      const { path, origin } = reference;
      const bytes = await readNamedFile(path, origin, processContext, CODE_OF_FAILURE, rule);
      return secretOfBytes(`The file ${escaped(path)} (${origin})`, bytes);
    }
  }
}

/**
 * The bytes of a file that an argument or a variable names.
 *
 * @param codes the error of each failure
 */
export async function readNamedFile(
  path: string,
  origin: string,
  processContext: ProcessContext,
  codes: Readonly<Record<Extract<FileReading, { failure: unknown }>["failure"], ErrorCode>>,
  rule?: FileRule,
): Promise<Buffer> {
  assertFilePath(origin, path);
  const absolute = resolve(processContext.workingFolder, path);
  const reading = await readRegularFile(absolute, defined({ rule }));
  if ("content" in reading) return reading.content;
  const home = path.startsWith("~")
    ? ' The ~ is not expanded here; in a configuration, pathexpand("~/…") does it.'
    : "";
  const where = isAbsolute(path) ? "" : ` (here that is ${escaped(absolute)})`;
  throw new IamTokensError(
    codes[reading.failure],
    `The file ${escaped(path)} (${origin}) ${reading.why}${where}.${home}`,
  );
}

function readVariable(name: string, origin: string, processContext: ProcessContext): Secret {
  assertVariableName(origin, name);
  const text = Object.hasOwn(processContext.variables, name)
    ? processContext.variables[name]
    : undefined;
  // If the variable itself is OS_PASSWORD, "(OS_PASSWORD)" is not added.
  const place = `The environment variable ${name}${origin === name ? "" : ` (${origin})`}`;
  if (text === undefined) {
    throw new IamTokensError("ERR_SECRET_MISSING", `${place} is not set.`, {
      headline: `Environment variable ${name} is not set`,
      remedy: "Set the variable, then run again.",
    });
  }
  return secretOfText(place, text);
}
