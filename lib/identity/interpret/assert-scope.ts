import { IamTokensError, isSameName, type Secret, setting, words } from "../../tokens";
import type { Proof } from "../credential";
import { type Domain, domainOf, inWords, type User } from "../references";
import type { IssueContext, IssuedTokenBody } from "./issued-body";

/**
 * Refuses a body that explicitly names another user or scope than was sent or is expected. What it
 * does not name is accepted.
 *
 * @param token of the answer: like the secret of the request, it could be repeated as a name
 * @throws ERR_SCOPE_MISMATCH, with what was requested and what was issued
 */
export function assertScope(
  body: IssuedTokenBody,
  context: IssueContext,
  about: string,
  token: Secret,
): void {
  const found = contradictionIn(body, context, [token, context.credential.secret]);
  if (found === undefined) return;
  const { what, other, isSent } = found;
  throw new IamTokensError(
    "ERR_SCOPE_MISMATCH",
    `A token for ${what} was requested, but ${about} issued one for ${other}.`,
    isSent ? {} : { remedy: NOT_SENT },
  );
}

const NOT_SENT = words`It was only compared with the answer: correct what is given (${setting("project_name")}, ${setting("account_id")} or a domain), or leave it out.`;

/** Whether a text of an answer has a secret in it. */
export const repeats = (text: string, secrets: readonly Secret[]): boolean =>
  secrets.some((secret) => text.includes(secret.reveal()));

interface Contradiction {
  /** In messages: what was requested. */
  readonly what: string;
  /** In messages: what was issued. */
  readonly other: string;
  /** Whether the request had it. */
  readonly isSent: boolean;
}

/** An id and a name, as far as an answer has them. */
type Answered = { readonly [Key in "id" | "name"]?: string | undefined };

function contradictionIn(
  body: IssuedTokenBody,
  { credential, scope, expected = {} }: IssueContext,
  secrets: readonly Secret[],
): Contradiction | undefined {
  const inAnswer = (what: string, { id, name }: Answered) => {
    const answered = name ?? id;
    const isSafe = answered !== undefined && !repeats(answered, secrets);
    return isSafe ? `${what}, ${inWords(name === undefined ? { id: answered } : { name })}` : what;
  };
  const isSent = credential.way !== "application credential";
  const [account, project] =
    scope.kind === "account" ? [scope.account, undefined] : [undefined, scope.project];
  const what = account
    ? `account ${inWords(account)}`
    : project
      ? `project ${inWords(project)}`
      : "one project";
  if (body.system !== undefined) return { what, other: "the whole system", isSent };
  const unwanted = account ? body.project : body.domain;
  if (unwanted !== undefined)
    return { what, other: inAnswer(account ? "a project" : "an account", unwanted), isSent };

  const user = userOf(credential);
  const { user: who, project: where, domain } = expected;
  const rows = [
    // A name that was sent decided who signs in.
    ["user", "another user", body.user, user && "id" in user ? user : undefined, who],
    ["a user of account", "another account's user", body.user?.domain, domainOf(user), who?.domain],
    ["account", "another account", body.domain, account, domain],
    ["project", "another project", body.project, project, where],
    [
      "a project of account",
      "a project of another account",
      body.project?.domain,
      domainOf(project),
      where?.domain,
    ],
  ] as const;
  for (const [noun, other, answered, sent, known] of rows)
    for (const one of [sent, known]) {
      const difference = differenceOf(one, answered);
      if (difference === undefined) continue;
      const [asked, got] = difference;
      return {
        what: `${noun} ${inWords(asked)}`,
        other: inAnswer(other, got),
        isSent: isSent && one === sent,
      };
    }
  return undefined;
}

/** An identity token's user is whom the mapping says. */
function userOf(credential: Proof): User | undefined {
  if (credential.way === "password") return credential.user;
  if (credential.way === "identity token" || "id" in credential.by) return undefined;
  return credential.by.user;
}

/** The id or the name in which an answer differs from what is known. */
function differenceOf(
  known: Answered = {},
  answered: Answered = {},
): readonly [asked: Domain, answered: Answered] | undefined {
  const [id, name] = [answered.id, answered.name];
  if (known.id !== undefined && id !== undefined && known.id !== id)
    return [{ id: known.id }, { id }];
  if (known.name !== undefined && name !== undefined && !isSameName(known.name, name))
    return [{ name: known.name }, { name }];
  return undefined;
}
