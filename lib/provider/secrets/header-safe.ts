import { IamTokensError, type Secret } from "../../tokens";

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
