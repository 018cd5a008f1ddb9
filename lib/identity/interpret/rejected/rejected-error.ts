import { formatDuration, IamTokensError, quote } from "../../../tokens";
import { withCandidates } from "../../../tokens/candidates";
import { causesOfApplicationCredential } from "./application-credential-causes";
import { causesOfPassword } from "./password-causes";
import { type Described, type Evidence, hasToken, type Rejected } from "./rejected";
import { causesOfScope } from "./scope-causes";

/** A refused credential with the possible causes, or the missing factor. */
export function rejectedError(rejected: Rejected, evidence: Evidence = {}): IamTokensError {
  const { credential, status, attempts } = rejected;
  const { who, same, unsaid, causes } = explain(rejected, evidence);
  const fact = `${credential.authUrl.tokens} answered ${status} to ${who}${attempts}.`;
  if (rejected.factors !== undefined) return secondFactorError(fact, rejected.factors);
  const code = "ERR_CREDENTIALS_REJECTED";
  const answered = `The service answered ${rejected.isUnknown ? 404 : 401}`;
  const { accountTokenMs: account, projectTokenMs: project } = evidence;
  // What an identity token got says nothing about another scope of it.
  if (!hasToken(evidence) || credential.way === "identity token")
    return new IamTokensError(code, withCandidates(fact, causes), {
      headline: `${answered} to the ${same}, and does not say whether ${unsaid}.`,
    });
  const ms = account ?? project ?? 0;
  const got = account === undefined ? "a project token" : "an account token";
  const when = ms < 1_000 ? "a moment" : formatDuration(ms);
  const known = `${fact} The same ${same} got ${got} ${when} ago.`;
  return new IamTokensError(code, withCandidates(known, causes), {
    headline: `${answered}, although the same ${same} got ${got}.`,
  });
}

/** The words for a refusal of one way of signing in. */
interface Explanation {
  /** Who asked for what. */
  readonly who: string;
  /** The credential, after "the" or "the same". */
  readonly same: string;
  /** What the answer leaves open, after "whether". */
  readonly unsaid: string;
  readonly causes: readonly string[];
}

function explain(rejected: Rejected, evidence: Evidence): Explanation {
  const { credential, scope } = rejected;
  const wanted =
    scope.kind === "account"
      ? "an account token"
      : `a token for project ${quote(scope.projectName ?? "")}`;
  switch (credential.way) {
    case "password":
      return {
        who: `service user ${quote(credential.userName)} in account ${quote(credential.accountId)}, who requested ${wanted}`,
        same: "user and password",
        unsaid: "name, password, account, project or permission is wrong",
        causes: causesOfPassword(rejected, evidence),
      };
    case "application credential":
      return {
        who: `application credential ${nameOf(credential)}`,
        same: "application credential",
        unsaid: "it is wrong, expired or deleted, or its user is",
        causes: causesOfApplicationCredential(credential, rejected, evidence),
      };
    case "identity token":
      return {
        who: `the user of the identity token (${credential.origin}), which it had accepted before, to a request for ${wanted} in account ${quote(credential.accountId)}`,
        same: "user of the identity token",
        unsaid: "mapping, role, account or project is wrong",
        causes: causesOfScope(credential, rejected),
      };
  }
}

function nameOf({ by, accountId }: Extract<Described, { way: "application credential" }>): string {
  return "id" in by
    ? quote(by.id)
    : `${quote(by.name)} of user ${quote(by.userName)} in account ${quote(accountId ?? "")}`;
}

function secondFactorError(fact: string, factors: string): IamTokensError {
  const wants = factors === "" ? "" : ` It accepts: ${factors}.`;
  return new IamTokensError(
    "ERR_SECOND_FACTOR_REQUIRED",
    `${fact} The credentials were right, but the service requires a second factor.${wants}`,
    { headline: "The identity service requires a second factor." },
  );
}
