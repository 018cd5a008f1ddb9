import { formatDuration, IamTokensError, quote } from "../../../tokens";
import { withCandidates } from "../../../tokens/candidates";
import type { Scope } from "../../credential";
import { causesOfApplicationCredential } from "./application-credential-causes";
import { causesOfPassword } from "./password-causes";
import { type Described, type Evidence, hasToken, type Rejected } from "./rejected";
import { causesOfScope } from "./scope-causes";

/** A refused credential with the possible causes, or the missing factor. */
export function rejectedError(rejected: Rejected, evidence: Evidence = {}): IamTokensError {
  const { credential, scope, status, attempts } = rejected;
  const fact = `${credential.authUrl.tokens} answered ${status} to ${whoOf(credential, scope)}${attempts}.`;
  if (rejected.factors !== undefined) return secondFactorError(fact, rejected.factors);
  const code = "ERR_CREDENTIALS_REJECTED";
  const causes = causesOf(rejected, evidence);
  const { accountTokenMs: account, projectTokenMs: project } = evidence;
  // What an identity token got says nothing about another scope of it.
  if (!hasToken(evidence) || credential.way === "identity token")
    return new IamTokensError(code, withCandidates(fact, causes));
  const ms = account ?? project ?? 0;
  const got = account === undefined ? "a project token" : "an account token";
  const when = ms < 1_000 ? "a moment" : formatDuration(ms);
  const same = credential.way === "password" ? "user and password" : credential.way;
  const known = `${fact} The same ${same} got ${got} ${when} ago.`;
  return new IamTokensError(code, withCandidates(known, causes), {
    headline: `The service answered ${rejected.isUnknown ? 404 : 401}, although the same ${same} got ${got}.`,
  });
}

/** Who asked for what. */
function whoOf(credential: Described, scope: Scope): string {
  const wanted =
    scope.kind === "account"
      ? "an account token"
      : `a token for project ${quote(scope.projectName ?? "")}`;
  switch (credential.way) {
    case "password":
      return `service user ${quote(credential.userName)} in account ${quote(credential.accountId)}, who requested ${wanted}`;
    case "application credential":
      return `application credential ${nameOf(credential)}`;
    case "identity token":
      return `the user of the identity token (${credential.origin}), which it had accepted before, to a request for ${wanted} in account ${quote(credential.accountId)}`;
  }
}

function nameOf({ by, accountId }: Extract<Described, { way: "application credential" }>): string {
  return "id" in by
    ? quote(by.id)
    : `${quote(by.name)} of user ${quote(by.userName)} in account ${quote(accountId ?? "")}`;
}

function causesOf(rejected: Rejected, evidence: Evidence): readonly string[] {
  const { credential } = rejected;
  switch (credential.way) {
    case "password":
      return causesOfPassword(rejected, evidence);
    case "application credential":
      return causesOfApplicationCredential(credential, rejected, evidence);
    case "identity token":
      return causesOfScope(credential, rejected);
  }
}

function secondFactorError(fact: string, factors: string): IamTokensError {
  const wants = factors === "" ? "" : ` It accepts: ${factors}.`;
  return new IamTokensError(
    "ERR_SECOND_FACTOR_REQUIRED",
    `${fact} The credentials were right, but the service requires a second factor.${wants}`,
    { headline: "The identity service requires a second factor." },
  );
}
