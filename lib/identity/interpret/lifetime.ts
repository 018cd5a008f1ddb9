import { formatDuration, IamTokensError } from "../../tokens";
import type { UnscopedToken } from "../issued-token";
import type { Limits } from "../limits";
import type { Answer } from "../transport/transport";
import { serviceTime } from "./answer";
import type { IssuedTokenBody } from "./issued-body";

/** The life of a new token. */
interface Lifetime extends Omit<UnscopedToken, "token"> {
  /** About a wrong clock, or an end that cannot be read. */
  readonly warnings: readonly string[];
  /**
   * Whether the body has the end without a zone, as Keystone writes an application credential's.
   */
  readonly endsWithoutZone: boolean;
}

/**
 * The lifetime of a new token: `expires_at` of the body, but not later than the configured lifetime
 * after the issue. Without `expires_at`: that lifetime after the answer's Date or, without one,
 * after this machine's time.
 *
 * The remaining time is computed by the service's clock alone: a wrong clock here does not change
 * it.
 *
 * @throws ERR_TOKEN_EXPIRED
 * @see test/tokens/spec/request-authentication.md, "Token kinds"
 */
export function lifetimeOf(
  answer: Answer,
  body: IssuedTokenBody,
  { lifetimeMs, clockToleranceMs }: Limits,
  about: string,
): Lifetime {
  const date = serviceTime(answer);
  const answered = date ?? answer.receivedAt;
  const issued = parseTime(body.issued_at) ?? answered;
  // Not later than the answer, and not so early that the token would have expired.
  const isPossible = issued <= answered + clockToleranceMs && issued > answered - lifetimeMs;
  const issuedAt = isPossible ? issued : answered;
  const latest = issuedAt + lifetimeMs;
  const end = parseTime(body.expires_at);
  const expiresAt = Math.min(end ?? latest, latest);
  const remainingMs = expiresAt - answered;
  if (remainingMs <= 0) {
    throw new IamTokensError(
      "ERR_TOKEN_EXPIRED",
      `${about} issued a token that expired at ${iso(expiresAt)}; ${
        date === undefined ? "this machine's" : "the service's"
      } clock says ${iso(answered)}.`,
    );
  }
  return {
    issuedAt: new Date(issuedAt),
    expiresAt: new Date(expiresAt),
    remainingMs,
    receivedAt: answer.receivedAt,
    warnings: [
      ...clockWarnings(answer.receivedAt - answered, clockToleranceMs),
      ...(end === undefined && body.expires_at !== undefined
        ? [
            `The answer's expires_at cannot be read: the token's lifetime is assumed to be ${formatDuration(remainingMs)}.`,
          ]
        : []),
    ],
    endsWithoutZone: expiresAt === Date.parse(`${body.expires_at}Z`),
  };
}

function clockWarnings(aheadMs: number, toleranceMs: number): readonly string[] {
  if (Math.abs(aheadMs) <= toleranceMs) return [];
  const direction = aheadMs > 0 ? "ahead of" : "behind";
  return [
    `This machine's clock is ${formatDuration(Math.abs(aheadMs))} ${direction} the identity service's. ` +
      "expires_at and issued_at are in the service's time. Correct this machine's clock.",
  ];
}

/** The end of a password is a warning from so long before. */
const NOTICE_MS = 14 * 24 * 60 * 60 * 1000;

/**
 * When the password of a token's user ends, as its answer says; undefined if it does not.
 *
 * @param answered the time of the answer, by the service's clock
 */
export function passwordEnd(
  { password_expires_at }: Partial<IssuedTokenBody>,
  answered: number,
): { readonly passwordEndsAt?: Date; readonly warnings: readonly string[] } {
  const end = parseTime(password_expires_at);
  // A password that has ended was accepted: Keystone's option ignore_password_expiry.
  if (end === undefined || end <= answered) return { warnings: [] };
  const left = end - answered;
  const warnings = [
    `The user's password ends at ${iso(end)}, in ${formatDuration(left)}: change it before, and store the new one.`,
  ];
  return { passwordEndsAt: new Date(end), warnings: left > NOTICE_MS ? [] : warnings };
}

const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)(Z|[+-]\d{2}:\d{2})?$/;

/**
 * Milliseconds of an RFC 3339 time, Keystone's format. Without a zone, as of a token that ends with
 * its application credential, it is UTC.
 */
function parseTime(text: string | undefined): number | undefined {
  const [, local, zone = "Z"] = TIME.exec(String(text)) ?? [];
  const time = Date.parse(`${local}${zone}`);
  return Number.isNaN(time) ? undefined : time;
}

const iso = (time: number) => new Date(time).toISOString();
