import { isAbsolute, resolve } from "node:path";
import { type ErrorCode, IamTokensError, type Secret } from "../../tokens";
import { attachedNote, type Surroundings } from "../process/surroundings";
import { type FileReading, readRegularFile } from "./read-regular-file";
import { assertFilePath, assertVariableName, type SecretReference } from "./secret-reference";
import { secretOfBytes, secretOfText } from "./secret-text";

const CODE_OF_FAILURE = {
  missing: "ERR_SECRET_MISSING",
  unreadable: "ERR_SECRET_UNREADABLE",
  "too large": "ERR_SECRET_TOO_LARGE",
} as const satisfies Record<string, ErrorCode>;

/**
 * Reads a secret from where it is. Messages name the variable or the file, never the content.
 *
 * @throws ERR_SECRET_MISSING, ERR_SECRET_EMPTY, ERR_SECRET_UNREADABLE, ERR_SECRET_TOO_LARGE,
 * ERR_SECRET_NOT_UTF8
 */
export async function readSecret(
  reference: SecretReference,
  surroundings: Surroundings,
): Promise<Secret> {
  switch (reference.kind) {
    case "value": {
      const text = reference.value.reveal();
      // As it was given: nothing put a newline there by itself.
      secretOfText(reference.origin, text);
      return reference.value;
    }
    case "env":
      return readVariable(reference.name, reference.origin, surroundings);
    case "file": {
      const { path, origin } = reference;
      const bytes = await readNamedFile(path, origin, surroundings, CODE_OF_FAILURE);
      return secretOfBytes(`The file ${JSON.stringify(path)} (${origin})`, bytes);
    }
  }
}

/**
 * The bytes of a file that an argument or a variable names.
 *
 * @param codes which error each failure is
 */
export async function readNamedFile(
  path: string,
  origin: string,
  surroundings: Surroundings,
  codes: Readonly<Record<Extract<FileReading, { failure: unknown }>["failure"], ErrorCode>>,
): Promise<Buffer> {
  assertFilePath(origin, path);
  const absolute = resolve(surroundings.workingFolder, path);
  const reading = await readRegularFile(absolute);
  if ("content" in reading) return reading.content;
  const home = path.startsWith("~")
    ? ' The ~ is not expanded here; in a configuration, pathexpand("~/…") does it.'
    : "";
  const where = isAbsolute(path) ? "" : ` (here that is ${JSON.stringify(absolute)})`;
  throw new IamTokensError(
    codes[reading.failure],
    `The file ${JSON.stringify(path)} (${origin}) ${reading.why}${where}.${home}${attachedNote(surroundings)}`,
  );
}

function readVariable(name: string, origin: string, surroundings: Surroundings): Secret {
  assertVariableName(origin, name);
  const text = Object.hasOwn(surroundings.variables, name)
    ? surroundings.variables[name]
    : undefined;
  // A variable that is OS_PASSWORD by nature is not told to be "(OS_PASSWORD)".
  const place = `The environment variable ${name}${origin === name ? "" : ` (${origin})`}`;
  if (text === undefined)
    throw new IamTokensError(
      "ERR_SECRET_MISSING",
      `${place} is not set.${attachedNote(surroundings)}`,
      { headline: `Environment variable ${name} is not set` },
    );
  return secretOfText(place, text);
}
