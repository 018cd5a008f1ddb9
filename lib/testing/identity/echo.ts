import { KIND_OF_SCOPE } from "../../tokens";
import type { IdentityAnswer, IdentityState, RawRequest } from "./exchange";
import type { Noted } from "./journal";
import { describe, reasonOf } from "./presented-token";

/** The path of the simulated product API. */
export const ECHO = "/echo";

/**
 * Describes the token of a request, without repeating it: a first stack calls this to check that
 * its token arrives in the right header. It accepts any method.
 */
export function echo({ headers }: RawRequest, state: IdentityState): IdentityAnswer {
  const { "x-auth-token": iamToken = "", "x-token": staticToken = "" } = headers;
  if (iamToken !== "" && staticToken !== "")
    return refuse("The request has both X-Auth-Token and X-Token.");
  if (staticToken !== "") return echoStaticToken(staticToken, state);
  if (iamToken !== "") return echoIamToken(iamToken, state);
  return refuse("The request has neither X-Auth-Token nor X-Token.", { reason: "token_missing" });
}

function echoIamToken(token: string, { directory, tokens }: IdentityState): IdentityAnswer {
  const { status, record } = tokens.find(token);
  const noted = describe(record);
  if (record === undefined && directory.accountOfStaticToken(token) !== undefined)
    return refuse("X-Auth-Token has a static token. Send it in X-Token.", WRONG_HEADER);
  if (status !== "valid" || record === undefined) {
    const found = status === "unknown" ? "was not issued by this service" : `is ${status}`;
    const reason = reasonOf(status);
    return refuse(`The token in X-Auth-Token ${found}.`, { ...noted, reason });
  }
  const { owner, scope, expiresAt, fingerprint } = record;
  const described = {
    header: "X-Auth-Token",
    kind: scope.kind === "none" ? null : KIND_OF_SCOPE[scope.kind],
    user: owner.name,
    account: owner.account.name,
    project: scope.kind === "project" ? scope.project.name : null,
    expires_at: new Date(expiresAt).toISOString(),
    fingerprint,
  };
  return answer(200, described, noted);
}

function echoStaticToken(token: string, { directory, tokens }: IdentityState): IdentityAnswer {
  const account = directory.accountOfStaticToken(token)?.name;
  if (account !== undefined)
    return answer(200, { header: "X-Token", kind: "static_token", account }, { account });
  const { record } = tokens.find(token);
  if (record !== undefined) {
    const noted = { ...describe(record), ...WRONG_HEADER };
    return refuse("X-Token has an IAM token. Send it in X-Auth-Token.", noted);
  }
  return refuse(
    "The token in X-Token is not a static token of this service (setting staticTokens). An IAM token is sent in X-Auth-Token.",
    { reason: "token_unknown" },
  );
}

const WRONG_HEADER = { reason: "wrong_header" } as const;

const refuse = (error: string, noted: Noted = {}) => answer(401, { error }, noted);

function answer(status: number, body: object, noted: Noted = {}): IdentityAnswer {
  const headers = { "Content-Type": "application/json" };
  return { status, headers, body: `${JSON.stringify(body)}\n`, noted, hasRequestId: false };
}
