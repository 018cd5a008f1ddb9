import { IamTokensError, Secret } from "../../tokens";
import { FILE_LIMIT_BYTES } from "./read-regular-file";

/**
 * The secret that a file's bytes are: UTF-8 text, less exactly one newline at its end, which
 * editors and `echo` put there.
 *
 * @param place how messages call the file
 * @throws ERR_SECRET_EMPTY, ERR_SECRET_NOT_UTF8
 */
export function secretOfBytes(place: string, bytes: Uint8Array): Secret {
  let text: string;
  try {
    // The byte order mark is kept by the decoder, to be found below: cut silently, it would be part
    // of what other tools read.
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
  return Secret.of(cut);
}
