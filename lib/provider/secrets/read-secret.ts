import { isAbsolute, resolve } from "node:path";
import {
  defined,
  type ErrorCode,
  IamTokensError,
  ofProcess,
  quote,
  Secret,
  type Text,
  words,
} from "../../tokens";
import { type ProcessContext, textOf } from "../process/process-context";
import { rememberSecret } from "./known-secrets";
import { fileInMessages, isPlace } from "./place-in-messages";
import { FILE_LIMIT_BYTES, type FileRule, readRegularFile } from "./read-regular-file";
import { assertFilePath, assertVariableName, type PlacedSecret } from "./secret-reference";

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
 * @param rule which variables and files may be read
 */
export async function readSecret(
  reference: PlacedSecret,
  processContext: ProcessContext,
  rule?: FileRule,
): Promise<Secret> {
  switch (reference.kind) {
    case "value": {
      const text = reference.place.reveal();
      // Unchanged: nothing adds a newline to a variable by itself.
      secretOfText(reference.origin, text);
      return reference.place;
    }
    case "env":
      return readVariable(reference.place, reference.origin, processContext, rule);
    case "file": {
      const { place: path, origin } = reference;
      const bytes = await readNamedFile(path, origin, processContext, undefined, rule);
      return secretOfBytes(fileInMessages(path, origin, processContext), bytes);
    }
  }
}

/**
 * The bytes of a file that an argument or a variable names.
 *
 * @param code the error of every failure; by default that of a secret
 */
export async function readNamedFile(
  path: string,
  origin: Text,
  processContext: ProcessContext,
  code?: ErrorCode,
  rule?: FileRule,
): Promise<Buffer> {
  assertFilePath(origin, path);
  const absolute = resolve(processContext.workingFolder, path);
  const reading = await readRegularFile(absolute, defined({ rule }));
  if ("content" in reading) return reading.content;
  const home = path.startsWith("~")
    ? 'The ~ is not expanded here; in a configuration, pathexpand("~/…") does it.'
    : undefined;
  const isRepeated = isPlace(path, processContext);
  const where = isAbsolute(path) || !isRepeated ? "" : ` (here that is ${quote(absolute, "path")})`;
  throw new IamTokensError(
    code ?? CODE_OF_FAILURE[reading.failure],
    words`${fileInMessages(path, origin, processContext)} ${reading.why}${where}.`,
    defined({ more: home, remedy: isRepeated ? undefined : NOT_REPEATED }),
  );
}

const NOT_REPEATED =
  "Give the path of the file, not what it contains. A path that does not begin with an existing folder is not repeated here.";

function readVariable(
  name: string,
  origin: Text,
  processContext: ProcessContext,
  rule?: FileRule,
): Secret {
  assertVariableName(origin, name, processContext.variables);
  rule?.(name);
  const text = textOf(processContext, name);
  // If the variable itself is OS_PASSWORD, "(OS_PASSWORD)" is not added.
  const given = String(origin) === name ? "" : words` (${origin})`;
  const place = words`${ofProcess(`The environment variable ${name}`)}${given}`;
  if (text === undefined) {
    throw new IamTokensError("ERR_SECRET_MISSING", words`${place} is not set.`, {
      remedy: "Set the variable, then run again.",
    });
  }
  return secretOfText(place, text);
}

/**
 * The secret in a file's bytes: UTF-8, without the one newline that editors and `echo` add at its
 * end.
 *
 * @param place the file's name in messages
 * @throws ERR_SECRET_EMPTY, ERR_SECRET_NOT_UTF8
 */
export function secretOfBytes(place: Text, bytes: Uint8Array): Secret {
  let text: string;
  try {
    // A byte order mark is kept, and found below: other tools would take it for a part of the
    // secret.
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new IamTokensError("ERR_SECRET_NOT_UTF8", words`${place} is not UTF-8 text.`);
  }
  return secretOfText(place, text);
}

/**
 * The secret in a string, by the same rules.
 *
 * @throws ERR_SECRET_EMPTY, ERR_SECRET_NOT_UTF8, ERR_SECRET_TOO_LARGE
 */
export function secretOfText(place: Text, text: string): Secret {
  if (Buffer.byteLength(text) > FILE_LIMIT_BYTES)
    throw new IamTokensError("ERR_SECRET_TOO_LARGE", words`${place} is larger than 1 MiB.`);
  const mistake = text.startsWith("\ufeff")
    ? "starts with a byte order mark"
    : text.includes("\0")
      ? "contains NUL bytes, like UTF-16 text"
      : // Node.js inserts it where a variable's bytes are not UTF-8.
        /[\ufffd\p{Cs}]/u.test(text) && "contains U+FFFD: it was not UTF-8 text";
  if (mistake) throw new IamTokensError("ERR_SECRET_NOT_UTF8", words`${place} ${mistake}.`);
  const cut = text.replace(/\r?\n$/, "");
  if (cut === "") throw new IamTokensError("ERR_SECRET_EMPTY", words`${place} is empty.`);
  rememberSecret(cut);
  return Secret.of(cut);
}

/**
 * Checks that a static token fits into a header: printable ASCII, without spaces at its ends. The
 * service's specification does not describe the format of a token, so nothing else can be checked.
 *
 * @throws ERR_SECRET_UNUSABLE
 */
export function assertHeaderSafe(place: Text, token: Secret): void {
  const text = token.reveal();
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return;
  const why =
    text.trim() !== text
      ? "starts or ends with white space"
      : "contains characters that a header cannot carry";
  throw new IamTokensError("ERR_SECRET_UNUSABLE", words`${place} ${why}.`, {
    allowed: "printable ASCII without leading or trailing spaces",
  });
}
