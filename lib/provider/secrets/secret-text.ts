import { IamTokensError, Secret } from "../../tokens";
import { rememberSecret } from "./known-secrets";
import { FILE_LIMIT_BYTES } from "./read-regular-file";

/**
 * The secret in a file's bytes: UTF-8, without the one newline that editors and `echo` add at its
 * end.
 *
 * @param place the file's name in messages
 * @throws ERR_SECRET_EMPTY, ERR_SECRET_NOT_UTF8
 */
export function secretOfBytes(place: string, bytes: Uint8Array): Secret {
  let text: string;
  try {
    // A byte order mark is kept, and found below: other tools would take it for a part of the
    // secret.
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new IamTokensError("ERR_SECRET_NOT_UTF8", `${place} is not UTF-8 text.`);
  }
  return secretOfText(place, text);
}

/**
 * The secret in a string, by the same rules.
 *
 * @throws ERR_SECRET_EMPTY, ERR_SECRET_NOT_UTF8, ERR_SECRET_TOO_LARGE
 */
export function secretOfText(place: string, text: string): Secret {
  if (Buffer.byteLength(text) > FILE_LIMIT_BYTES)
    throw new IamTokensError("ERR_SECRET_TOO_LARGE", `${place} is larger than 1 MiB.`);
  if (text.startsWith("\ufeff"))
    throw new IamTokensError("ERR_SECRET_NOT_UTF8", `${place} starts with a byte order mark.`);
  if (text.includes("\0"))
    throw new IamTokensError(
      "ERR_SECRET_NOT_UTF8",
      `${place} contains NUL bytes, like UTF-16 text.`,
    );
  // Node.js inserts U+FFFD where a variable's bytes are not UTF-8.
  if (/[\ufffd\p{Cs}]/u.test(text))
    throw new IamTokensError(
      "ERR_SECRET_NOT_UTF8",
      `${place} contains U+FFFD: it was not UTF-8 text.`,
    );
  const cut = text.replace(/\r?\n$/, "");
  if (cut === "") throw new IamTokensError("ERR_SECRET_EMPTY", `${place} is empty.`);
  rememberSecret(cut);
  return Secret.of(cut);
}

/**
 * Checks that a static token fits into a header: printable ASCII, without spaces at its ends. The
 * service's specification does not describe the format of a token, so nothing else can be checked.
 *
 * @throws ERR_SECRET_UNUSABLE
 */
export function assertHeaderSafe(place: string, token: Secret): void {
  const text = token.reveal();
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return;
  const why =
    text.trim() !== text
      ? "starts or ends with white space"
      : "contains characters that a header cannot carry";
  throw new IamTokensError("ERR_SECRET_UNUSABLE", `${place} ${why}.`, {
    allowed: "printable ASCII without leading or trailing spaces",
  });
}
