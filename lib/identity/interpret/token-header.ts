import { IamTokensError, Secret } from "../../tokens";
import type { Answer } from "../transport/transport";
import { headerValues } from "./headers";

/** Expectations for a token. */
interface TokenContext {
  readonly maxLength: number;
  /** The secret of the request: a password, an identity token, a token. */
  readonly sent: Secret;
  readonly about: string;
}

/** A shorter secret may occur in a token by chance. */
const TELLING_LENGTH = 8;

/**
 * The issued token: exactly one X-Subject-Token, printable and of reasonable size.
 *
 * @throws ERR_TOKEN_HEADER_MISSING, ERR_TOKEN_HEADER_DUPLICATED, ERR_TOKEN_HEADER_EMPTY,
 * ERR_TOKEN_HEADER_TOO_LARGE, ERR_TOKEN_HEADER_UNPRINTABLE, ERR_TOKEN_HEADER_ECHOED
 * @see spec, "Issue an IAM token", rule 4
 */
export function tokenOf(answer: Answer, { maxLength, sent, about }: TokenContext): Secret {
  const values = headerValues(answer, "x-subject-token");
  const [value] = values;
  if (value === undefined) {
    throw new IamTokensError(
      "ERR_TOKEN_HEADER_MISSING",
      `${about} answered 201 without an X-Subject-Token header.`,
    );
  }
  // A proxy may have joined two header lines: a comma with a blank is a sign of this.
  if (values.length > 1 || /,[ \t]/.test(value)) {
    throw new IamTokensError(
      "ERR_TOKEN_HEADER_DUPLICATED",
      `${about} answered 201 with more than one X-Subject-Token.`,
    );
  }
  if (value === "") {
    throw new IamTokensError(
      "ERR_TOKEN_HEADER_EMPTY",
      `${about} answered 201 with an empty X-Subject-Token.`,
    );
  }
  if (value.length > maxLength) {
    throw new IamTokensError(
      "ERR_TOKEN_HEADER_TOO_LARGE",
      `${about} answered 201 with an X-Subject-Token of ${value.length} characters.`,
      { allowed: `up to ${maxLength}` },
    );
  }
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new IamTokensError(
      "ERR_TOKEN_HEADER_UNPRINTABLE",
      `${about} answered 201 with an X-Subject-Token that contains characters other than printable ASCII.`,
    );
  }
  // It would be sent to other addresses as the token.
  const secret = sent.reveal();
  if (value === secret || (secret.length >= TELLING_LENGTH && value.includes(secret))) {
    throw new IamTokensError(
      "ERR_TOKEN_HEADER_ECHOED",
      `${about} answered 201 with the secret that was sent in X-Subject-Token.`,
    );
  }
  return Secret.of(value);
}
