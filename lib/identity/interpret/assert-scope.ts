import { IamTokensError, isSameName, type Secret, setting, words } from "../../tokens";
import { userOf } from "../credential";
import { type Domain, domainOf, inWords, type Naming } from "../references";
import type { Answered, IssueContext, IssuedTokenBody } from "./issued-body";

/**
 * Refuses a body that explicitly names another user or scope than was sent or is expected. What it
 * does not name is accepted.
 *
 * @param token of the answer: like the secret of the request, it could be repeated as a name
 * @throws ERR_SCOPE_MISMATCH, with what was requested and what was issued
 */
export function assertScope(
  body: IssuedTokenBody,
  { credential, scope, expected = {} }: IssueContext,
  about: string,
  token: Secret,
): void {
  const refuse = (what: string, other: string, answered: Answered = {}, isSent = true) => {
    const named = wordsOf(answered, [token, credential.secret]);
    throw new IamTokensError(
      "ERR_SCOPE_MISMATCH",
      `A token for ${what} was requested, but ${about} issued one for ${other}${named}.`,
      // With an application credential, nothing of this is sent.
      isSent && credential.way !== "application credential" ? {} : { remedy: NOT_SENT },
    );
  };
  const account = scope.kind === "account" ? scope.account : undefined;
  const project = scope.kind === "project" ? scope.project : undefined;
  const what = account
    ? `account ${inWords(account)}`
    : project
      ? `project ${inWords(project)}`
      : "one project";
  if (body.system !== undefined) refuse(what, "the whole system");
  const unwanted = account ? body.project : body.domain;
  if (unwanted !== undefined) refuse(what, account ? "a project" : "an account", unwanted);

  const user = userOf(credential);
  // A name that was sent decided who signs in.
  const sentUser = user && "id" in user ? user : undefined;
  const { user: who, project: where, domain } = expected;
  const rows: readonly Row[] = [
    ["user", "another user", body.user, sentUser, who],
    ["a user of account", "another account's user", body.userDomain, domainOf(user), who?.domain],
    ["account", "another account", body.domain, account, domain],
    ["project", "another project", body.project, project, where],
    [
      "a project of account",
      "a project of another account",
      body.projectDomain,
      domainOf(project),
      where?.domain,
    ],
  ];
  for (const [noun, other, answered, sent, known] of rows)
    for (const one of [sent, known]) {
      const [asked, got] = differenceOf(one, answered);
      if (asked !== undefined) refuse(`${noun} ${inWords(asked)}`, other, got, one === sent);
    }
}

type Row = readonly [
  noun: string,
  other: string,
  answered: Answered | undefined,
  sent: Naming | undefined,
  expected: Naming | undefined,
];

const NOT_SENT = words`It was only compared with the answer: correct what is given (${setting("project_name")}, ${setting("account_id")} or a domain), or leave it out.`;

/** The id or the name in which an answer differs from what is known. */
function differenceOf(
  known: Naming = {},
  { id, name }: Answered = {},
): readonly [asked?: Domain, answered?: Answered] {
  if (known.id !== undefined && id !== undefined && known.id !== id)
    return [{ id: known.id }, { id }];
  if (known.name !== undefined && name !== undefined && !isSameName(known.name, name))
    return [{ name: known.name }, { name }];
  return [];
}

/** In messages: ", " and what the answer has, unless that has a secret in it. */
function wordsOf({ id, name }: Answered, secrets: readonly Secret[]): string {
  const answered = name ?? id;
  if (answered === undefined || repeats(answered, secrets)) return "";
  return `, ${inWords(name === undefined ? { id: answered } : { name })}`;
}

/** Whether a string of an answer has a secret in it. */
export const repeats = (text: string, secrets: readonly Secret[]): boolean =>
  secrets.some((secret) => text.includes(secret.reveal()));
