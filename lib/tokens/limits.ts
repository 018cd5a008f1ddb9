import { IamTokensError } from "./error";

/**
 * How long a string may be that somebody gives us, in UTF-16 code units: checked before anything
 * parses it. Far above real values, and low enough for every parser.
 */
export const STRING_LIMIT = 8_192;

/** The same for the path of a file: as much as systems accept. */
export const PATH_LIMIT = 4_096;

/** How many destinations a token may have. */
export const DESTINATIONS_LIMIT = 256;

/**
 * Refuses a string that is too long. The message does not repeat it: it may be a secret.
 *
 * @param what its name in messages, at the beginning of a sentence
 * @throws ERR_TOO_LONG
 */
export function assertLength(what: string, text: string, limit = STRING_LIMIT): void {
  if (text.length > limit) throw tooLong(what, text.length, limit, "characters");
}

/** Refuses a list with too many elements. @throws ERR_TOO_LONG */
export function assertCount(what: string, count: number, limit: number): void {
  if (count > limit) throw tooLong(what, count, limit, "elements");
}

function tooLong(what: string, size: number, limit: number, unit: string): IamTokensError {
  return new IamTokensError("ERR_TOO_LONG", `${what} has ${number(size)} ${unit}.`, {
    allowed: `at most ${number(limit)} ${unit}`,
  });
}

/** 8192 as 8,192. */
const number = (value: number): string => value.toLocaleString("en-US");
