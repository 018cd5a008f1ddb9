import { KIND_OF_SCOPE } from "../../tokens";
import type { IdentityAnswer, IdentityState, RawRequest } from "./exchange";
import type { Noted } from "./journal";
import { describe, reasonOf } from "./presented-token";

/** The path of the simulated product API. */
export const ECHO = "/echo";

/**
 * Describes the token of a request, without repeating it: a first stack calls this to check that
 * its token arrives in the right header. It accepts any method.
 *
 * The service knows the IAM tokens that it has issued. It cannot know static tokens, and accepts
 * all.
 */
export function echo({ headers }: RawRequest, { tokens }: IdentityState): IdentityAnswer {
  const { "x-auth-token": iamToken = "", "x-token": staticToken = "" } = headers;
  if (iamToken !== "" && staticToken !== "")
    return answer(401, { error: "The request has both X-Auth-Token and X-Token." });
  if (staticToken !== "") return answer(200, { header: "X-Token", kind: "static_token" });
  if (iamToken === "") {
    const error = "The request has neither X-Auth-Token nor X-Token.";
    return answer(401, { error }, { reason: "token_missing" });
  }
  const { status, record } = tokens.find(iamToken);
  const noted = describe(record);
  if (status !== "valid" || record === undefined) {
    const found = status === "unknown" ? "was not issued by this service" : `is ${status}`;
    const error = `The token in X-Auth-Token ${found}.`;
    return answer(401, { error }, { ...noted, reason: reasonOf(status) });
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

function answer(status: number, body: object, noted: Noted = {}): IdentityAnswer {
  const headers = { "Content-Type": "application/json" };
  return { status, headers, body: `${JSON.stringify(body)}\n`, noted, hasRequestId: false };
}
