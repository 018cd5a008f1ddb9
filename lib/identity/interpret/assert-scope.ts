import { IamTokensError, isSameName, quote, type Text, words } from "../../tokens";
import { PLAIN, type Terms, userOf } from "../credential";
import { type Described, type Domain, domainOf, inWords, type Naming } from "../references";
import type { Answered, IssueContext, IssuedTokenBody } from "./issued-body";

/**
 * Refuses a body that explicitly names another user or scope than was sent or is expected. What it
 * does not name is accepted. What it names instead may be a secret in any spelling: it is repeated
 * only if it is the requested id in another one.
 *
 * @throws ERR_SCOPE_MISMATCH, with what was requested and what was issued
 */
export function assertScope(
  body: IssuedTokenBody,
  { credential, scope, expected = {}, terms = PLAIN }: IssueContext,
  about: string,
): void {
  const refuse = (what: string, other: string, spelling?: string, isSent = true) => {
    const spelled = spelling === undefined ? "" : `, with id ${quote(spelling)}`;
    throw new IamTokensError(
      "ERR_SCOPE_MISMATCH",
      `A token for ${what} was requested, but ${about} issued one for ${other}${spelled}.`,
      // With an application credential, nothing of this is sent.
      isSent && credential.way !== "application credential" ? {} : { remedy: notSent(terms) },
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
  if ((account ? body.project : body.domain) !== undefined)
    refuse(what, account ? "a project" : "an account");

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
      const [asked, spelling] = differenceOf(one, answered);
      // Both are given, and are of two things.
      if (asked && "name" in asked && sent?.id !== undefined && one !== sent) {
        const isProject = scope.kind === "project" && noun === "project";
        const [id, name] = [by(isProject ? scope.origin : undefined), by(known?.origin)];
        throw new IamTokensError(
          "ERR_SCOPE_MISMATCH",
          words`${about} issued a token for ${noun} ${inWords({ id: sent.id })}${id}, as requested, but the name is not ${quote(asked.name)}${name}.`,
          { remedy: "Correct one of them, or leave the name out." },
        );
      }
      if (asked !== undefined) refuse(`${noun} ${inWords(asked)}`, other, spelling, one === sent);
    }
}

const by = (origin: Text | undefined) => (origin === undefined ? "" : words` (${origin})`);

type Row = readonly [
  noun: string,
  other: string,
  answered: Answered | undefined,
  sent: Naming | undefined,
  expected: Described | undefined,
];

const notSent = ({ given }: Terms): Text =>
  words`It was only compared with the answer: correct what is given (${given}), or leave it out.`;

/** The id or the name that an answer contradicts, and its other spelling there, if it is one. */
function differenceOf(
  known: Naming = {},
  { id, name }: Answered = {},
): readonly [asked?: Domain, spelling?: string | undefined] {
  if (known.id !== undefined && id !== undefined && known.id !== id)
    return [{ id: known.id }, isSameName(known.id, id) ? id : undefined];
  return known.name !== undefined && name !== undefined && !isSameName(known.name, name)
    ? [{ name: known.name }]
    : [];
}
