import { IamTokensError, Secret } from "../../tokens";
import type { Answer } from "../transport/transport";
import { headerValues } from "./answer";
import type { Exchanged } from "./exchanged";

/** A shorter secret may occur in a token by chance. */
const TELLING_LENGTH = 8;

/**
 * The issued token: exactly one X-Subject-Token, printable; the transport bounds its length.
 *
 * @throws ERR_TOKEN_HEADER_INVALID
 * @see test/tokens/spec/request-authentication.md, "Rules of issuing an IAM token", 4
 */
export function tokenOf(
  answer: Answer,
  { secret: sent }: Pick<Exchanged, "secret">,
  about: string,
): Secret {
  const refuse = (what: string, details: { remedy?: string } = {}): never => {
    const problem = `${about} answered 201 ${what}.`;
    throw new IamTokensError("ERR_TOKEN_HEADER_INVALID", problem, details);
  };
  const [value, ...more] = headerValues(answer, "x-subject-token");
  if (value === undefined) return refuse("without an X-Subject-Token header");
  // A proxy may have joined two header lines: a comma with a blank is a sign of this.
  if (more.length > 0 || /,[ \t]/.test(value)) return refuse("with more than one X-Subject-Token");
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

/** The token in an outcome, if there is one that can be used. */
export function tokenIn({ outcome, ...exchanged }: Exchanged): Secret | undefined {
  if (outcome.kind === "fault" || outcome.status !== 201) return undefined;
  try {
    return tokenOf(outcome, exchanged, "");
  } catch {
    return undefined;
  }
}
