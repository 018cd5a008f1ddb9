import { IamTokensError, isSameName, words } from "../../tokens";
import { PLAIN, userOf } from "../credential";
import { domainOf, inWords, type Naming } from "../references";
import type { Answered, IssueContext, IssuedTokenBody } from "./issued-body";

/**
 * Refuses a body that explicitly names another user or scope than was sent or is expected. What it
 * does not name is accepted; what it names instead may be a secret, and is not repeated.
 *
 * @throws ERR_SCOPE_MISMATCH, with what was requested
 */
export function assertScope(
  body: IssuedTokenBody,
  { credential, scope, expected = {}, terms = PLAIN }: IssueContext,
  about: string,
): void {
  const account = scope.kind === "account" ? scope.account : undefined;
  const project = scope.kind === "project" ? scope.project : undefined;
  const user = userOf(credential);
  // A name that was sent decided who signs in.
  const sentUser = user && "id" in user ? user : undefined;
  const { user: who, project: where, domain } = expected;
  const isOfOtherKind = (scope.kind === "account" ? body.project : body.domain) ?? body.system;
  const other = isOfOtherKind
    ? `one ${scope.kind}`
    : (
        [
          ["user", body.user, sentUser, who],
          ["a user of account", body.userDomain, domainOf(user), who?.domain],
          ["account", body.domain, account, domain],
          ["project", body.project, project, where],
          ["a project of account", body.projectDomain, domainOf(project), where?.domain],
        ] as const
      ).flatMap(([noun, answered, ...known]) =>
        known.flatMap((one) => {
          const asked = differenceOf(one, answered);
          return asked === undefined ? [] : `${noun} ${inWords(asked)}`;
        }),
      )[0];
  if (other !== undefined)
    throw new IamTokensError(
      "ERR_SCOPE_MISMATCH",
      `A token for ${other} was requested, but ${about} issued another one.`,
      {
        remedy: words`Correct what is given (${terms.given}), or tell the service's support. The token is not used.`,
      },
    );
}

/** The id or the name that an answer contradicts. */
function differenceOf({ id, name }: Naming = {}, answered: Answered = {}) {
  if (id !== undefined && answered.id !== undefined && answered.id !== id) return { id };
  return name !== undefined && answered.name !== undefined && !isSameName(name, answered.name)
    ? { name }
    : undefined;
}
