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
 * @throws ERR_TOKEN_HEADER_INVALID
 * @see spec, "Issue an IAM token", rule 4
 */
export function tokenOf(answer: Answer, { maxLength, sent, about }: TokenContext): Secret {
  const refuse = (what: string, details: { allowed?: string; remedy?: string } = {}): never => {
    const problem = `${about} answered 201 ${what}.`;
    throw new IamTokensError("ERR_TOKEN_HEADER_INVALID", problem, details);
  };
  const [value, ...more] = headerValues(answer, "x-subject-token");
  if (value === undefined) return refuse("without an X-Subject-Token header");
  // A proxy may have joined two header lines: a comma with a blank is a sign of this.
  if (more.length > 0 || /,[ \t]/.test(value)) return refuse("with more than one X-Subject-Token");
  if (value.length > maxLength)
    return refuse(`with an X-Subject-Token of ${value.length} characters`, {
      allowed: `up to ${maxLength}`,
    });
  if (!/^[\x21-\x7e]+$/.test(value))
    return refuse("with an X-Subject-Token that is empty or not printable ASCII");
  const secret = sent.reveal();
  // It would be sent to other addresses as the token.
  if (value === secret || (secret.length >= TELLING_LENGTH && value.includes(secret)))
    return refuse("with the secret of the request in X-Subject-Token", {
      remedy: "Do not use this address, and replace the secret.",
    });
  return Secret.of(value);
}
