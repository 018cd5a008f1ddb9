import { defined, formatDuration, IamTokensError, KIND_OF_SCOPE, Secret } from "../../tokens";
import type { Proof } from "../credential";
import type { TimedToken } from "../issued-token";
import { TOKEN_LENGTH } from "../limits";
import type { Answer, Outcome } from "../transport/transport";
import { headerValues, isKeystones, requestIdOf, unreadable } from "./answer";
import { assertScope, repeats } from "./assert-scope";
import { answerOf, type Exchanged } from "./exchanged";
import { type Answered, bodyOf, type IssueContext } from "./issued-body";
import { lifetimeOf } from "./lifetime";
import { refusalError } from "./refusal";
import { isRejection, rejectedError } from "./rejected";

/** Whether a service does not know, or no longer knows, the unscoped token of a request. */
export const isUnscopedGone = (outcome: Outcome, { way }: Proof): boolean =>
  way === "identity token" &&
  outcome.kind === "answer" &&
  outcome.status === 404 &&
  isKeystones(outcome);

/** It has forgotten it, or its servers do not share their keys. */
export const unscopedGoneError = (url: string): IamTokensError =>
  new IamTokensError(
    "ERR_ANSWER_UNEXPECTED",
    `${url} answered 404 to the unscoped token that it had just issued.`,
    { remedy: "All servers of the identity service need the same Fernet keys: tell its operator." },
  );

/**
 * Interprets the outcome of a token-issuing request: the issued token, or the error for the user.
 * Pure: a recorded answer gives the same result as a live one.
 *
 * @throws every ERR_ code of "The identity service's answer"
 * @see spec, "Issue an IAM token"
 */
export function interpretIssue(exchanged: Exchanged, context: IssueContext): TimedToken {
  const { credential, scope, keptIn } = context;
  const answer = answerOf(exchanged);
  if (isRejection(answer, credential)) throw rejectedError(answer, exchanged, context);
  if (answer.status !== 201) throw refusalError(answer, exchanged);

  const { url, secret, limits } = exchanged;
  const requestId = requestIdOf(answer, secret);
  const about = requestId === undefined ? url : `${url} (request id ${requestId})`;
  const token = tokenOf(answer, exchanged, about);
  const body = bodyOf(answer);
  assertScope(body, context, about, token);
  const { endsWithoutZone, warnings, ...life } = lifetimeOf(answer, body, limits, about);
  const isCredentialsEnd = endsWithoutZone && credential.way === "application credential";
  const why = unreadable(answer);
  if (why !== undefined && keptIn === "state")
    throw new IamTokensError(
      "ERR_ANSWER_UNEXPECTED",
      `${about} answered 201 with a body that ${why}.`,
      {
        more: "A token whose scope and end are not known is not stored.",
        remedy: UNREAD_REMEDY,
      },
    );
  const guess = `The body of the answer ${why}: the token's lifetime is assumed to be ${formatDuration(life.remainingMs)}, and its scope was not checked. ${UNREAD_REMEDY}`;
  return {
    token,
    kind: KIND_OF_SCOPE[scope.kind],
    ...life,
    warnings: why === undefined ? warnings : [...warnings, guess],
    authUrl: credential.authUrl,
    ...defined({
      requestId,
      credentialEndsAt: isCredentialsEnd ? life.expiresAt : undefined,
      userId: plainId(body.user, [token, secret]),
      projectId: plainId(body.project, [token, secret]),
    }),
  };
}

const UNREAD_REMEDY =
  "Let the proxies and gateways between pass the service's answer on unchanged.";

/** The token in an answer of which {@link interpretIssue} makes none, if there is one. */
export function tokenIn({ outcome, ...exchanged }: Exchanged): Secret | undefined {
  if (outcome.kind === "fault" || outcome.status !== 201) return undefined;
  try {
    return tokenOf(outcome, exchanged, "");
  } catch {
    return undefined;
  }
}

/**
 * An id of the answer, which becomes an attribute that users print: without control characters, and
 * without a secret that the answer repeats.
 */
const plainId = ({ id }: Answered = {}, secrets: readonly Secret[]): string | undefined =>
  id !== undefined && /^[\x21-\x7e]{1,255}$/.test(id) && !repeats(id, secrets) ? id : undefined;

/** A shorter secret may occur in a token by chance. */
const TELLING_LENGTH = 8;

/**
 * The issued token: exactly one X-Subject-Token, printable and of reasonable size. An answer beyond
 * its limits is not Keystone's, whatever its first part contains.
 *
 * @throws ERR_TOKEN_HEADER_INVALID, ERR_ANSWER_INCOMPLETE
 * @see spec, "Issue an IAM token", rule 4
 */
export function tokenOf(
  answer: Answer,
  { limits, secret: sent }: Pick<Exchanged, "limits" | "secret">,
  about: string,
): Secret {
  const refuse = (what: string, details: { allowed?: string; remedy?: string } = {}): never => {
    const problem = `${about} answered 201 ${what}.`;
    throw new IamTokensError("ERR_TOKEN_HEADER_INVALID", problem, details);
  };
  const [value, ...more] = headerValues(answer, "x-subject-token");
  if (value === undefined) return refuse("without an X-Subject-Token header");
  // A proxy may have joined two header lines: a comma with a blank is a sign of this.
  if (more.length > 0 || /,[ \t]/.test(value)) return refuse("with more than one X-Subject-Token");
  if (value.length > TOKEN_LENGTH)
    return refuse(`with an X-Subject-Token of ${value.length} characters`, {
      allowed: `up to ${TOKEN_LENGTH}`,
    });
  if (!/^[\x21-\x7e]+$/.test(value))
    return refuse("with an X-Subject-Token that is empty or not printable ASCII");
  const secret = sent.reveal();
  // It would be sent to other addresses as the token.
  if (value === secret || (secret.length >= TELLING_LENGTH && value.includes(secret)))
    return refuse("with the secret of the request in X-Subject-Token", {
      remedy: "Do not use this address, and replace the secret.",
    });
  if (answer.end === "too_large" || answer.end === "too_slow") {
    const { bodyBytes, requestMs } = limits;
    const limit = answer.end === "too_large" ? `${bodyBytes} bytes` : formatDuration(requestMs);
    throw new IamTokensError(
      "ERR_ANSWER_INCOMPLETE",
      `${about} answered 201 with a body that did not end within ${limit}.`,
    );
  }
  return Secret.of(value);
}
