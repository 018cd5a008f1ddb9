import { IamTokensError, Secret } from "../../tokens";
import { rememberSecret } from "./known-secrets";
import { FILE_LIMIT_BYTES } from "./read-regular-file";

/**
 * The secret that a file's bytes are: UTF-8, less the one newline that editors and `echo` put at
 * its end.
 *
 * @param place how messages call the file
 * @throws ERR_SECRET_EMPTY, ERR_SECRET_NOT_UTF8
 */
export function secretOfBytes(place: string, bytes: Uint8Array): Secret {
  let text: string;
  try {
    // A byte order mark is kept, to be found below: other tools would take it for a part of it.
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new IamTokensError("ERR_SECRET_NOT_UTF8", `${place} is not UTF-8 text.`);
  }
  return secretOfText(place, text);
}

/**
 * The secret that a text is, under the same rules.
 *
 * @throws ERR_SECRET_EMPTY, ERR_SECRET_NOT_UTF8, ERR_SECRET_TOO_LARGE
 */
export function secretOfText(place: string, text: string): Secret {
  if (Buffer.byteLength(text) > FILE_LIMIT_BYTES)
    throw new IamTokensError("ERR_SECRET_TOO_LARGE", `${place} is larger than 1 MiB.`);
  if (text.startsWith("\ufeff"))
    throw new IamTokensError("ERR_SECRET_NOT_UTF8", `${place} begins with a byte order mark.`);
  if (text.includes("\0"))
    throw new IamTokensError("ERR_SECRET_NOT_UTF8", `${place} has NUL bytes, as UTF-16 text has.`);
  // Node puts U+FFFD where a variable's bytes are not UTF-8.
  if (/[\ufffd\p{Cs}]/u.test(text))
    throw new IamTokensError(
      "ERR_SECRET_NOT_UTF8",
      `${place} has U+FFFD in it: it was not UTF-8 text.`,
    );
  const cut = text.replace(/\r?\n$/, "");
  if (cut === "") throw new IamTokensError("ERR_SECRET_EMPTY", `${place} is empty.`);
  rememberSecret(cut);
  return Secret.of(cut);
}

/**
 * Checks that a static token can stand in a header: printable ASCII, without spaces at its ends.
 * The spec does not show the format of a token, so that no more than this is known of a good one.
 *
 * @throws ERR_SECRET_UNUSABLE
 */
export function assertHeaderSafe(place: string, token: Secret): void {
  const text = token.reveal();
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return;
  const why =
    text.trim() !== text
      ? "has white space at its ends"
      : "has characters that a header cannot carry";
  throw new IamTokensError("ERR_SECRET_UNUSABLE", `${place} ${why}.`, {
    allowed: "printable ASCII without spaces at the ends",
  });
}
