import {
  type AuthUrl,
  type Cause,
  defined,
  IamTokensError,
  oddityOf,
  quote,
  type Text,
  words,
} from "../../tokens";
import { accountOf, PLAIN, type Proof, type Scope, type Terms, userOf } from "../credential";
import { type Domain, domainOf, inWords, type Naming, type User } from "../references";
import { type Heard, headerValues, isKeystones, membersOf } from "./answer";
import type { Exchanged } from "./exchanged";
import type { IssueContext } from "./issued-body";
import { statusText } from "./refusal";

/** Whether an answer refuses the credential, not the address or the number of requests. */
export function isRejection(answer: Heard, { way }: Proof): boolean {
  if (answer.status === 401) return true;
  return answer.status === 404 && way === "application credential" && isKeystones(answer);
}

/**
 * What Keystone says of a refusal, by the fixed part of its sentence: nothing of the body is
 * repeated. Of all else it says nothing.
 */
const SAID: readonly (readonly [sentence: RegExp, cause: string, remedy: string])[] = [
  [
    /^The password is expired and needs to be changed for user: /,
    "the password has expired, or is a first one that the user has to change",
    "Let the user change the password, or an administrator set another; then store the new one.",
  ],
  [
    /^The account is locked for user: /,
    "the user is locked, after too many wrong passwords",
    "Wait until the lock ends, or let an administrator set another password.",
  ],
  [
    /^The account is disabled for user: /,
    "the user is disabled",
    "Let an administrator enable the user.",
  ],
  [
    /^Attempted to authenticate with an unsupported method\./,
    "it does not accept this way of signing in",
    "Sign in in another way, or let the service's operator switch this one on (auth methods).",
  ],
];

/** The cause of a refusal that Keystone names, and what to do. */
function saidBy(answer: Heard) {
  const { message } = membersOf(membersOf(answer.json).error);
  if (typeof message !== "string" || !isKeystones(answer)) return undefined;
  return SAID.find(([sentence]) => sentence.test(message));
}

/**
 * A refused credential: with the cause, if Keystone names it; otherwise with the possible ones,
 * because it gives the same answer for all of them. Or the missing second factor.
 *
 * @see spec, "Issue an IAM token", rules 1-3; "Authentication", 6; "Service user"
 */
export function rejectedError(
  answer: Heard,
  { url, secret, attempts }: Exchanged,
  context: IssueContext,
): IamTokensError {
  const { credential, wasAccepted } = context;
  const { authUrl, way } = credential;
  const fact = words`${url} answered ${statusText(answer, secret)} to ${whoOf(context)}${attempts}.`;
  if (headerValues(answer, "openstack-auth-receipt").length > 0)
    return new IamTokensError("ERR_SECOND_FACTOR_REQUIRED", fact, {
      more: "The credentials were right, but the service requires a second factor.",
      ...(way === "application credential" && { remedy: BY_RULE }),
    });
  const [, said, remedy] = saidBy(answer) ?? [];
  if (said !== undefined)
    return new IamTokensError("ERR_CREDENTIALS_REJECTED", fact, {
      more: `The service says that ${said}.`,
      ...defined({ remedy }),
      headline: `The service answered ${answer.status} to the ${way}: ${said}.`,
    });
  const isUnknown = answer.status === 404;
  const causes = [
    ...likelyCauses(context)
      .filter(isGiven)
      .map((text): Cause => ({ text, likely: true })),
    ...causesOf(context, isUnknown)
      .filter(isGiven)
      .map((text) => ({ text })),
  ];
  return new IamTokensError("ERR_CREDENTIALS_REJECTED", fact, {
    causes: isUnknown ? withAddress(causes, authUrl) : causes,
    headline: wasAccepted
      ? `The service answered ${answer.status}, although ${ACCEPTED}`
      : `The service answered ${answer.status} to the ${way}, and does not say why.`,
  });
}

const BY_RULE = `Let an administrator add ["application_credential"] to the user's multi_factor_auth_rules. The request was not repeated.`;

const isGiven = (text: Text | undefined) => text !== undefined;

/** Those for which there is evidence. */
function likelyCauses({
  credential,
  scope,
  wasAccepted,
  terms = PLAIN,
}: IssueContext): readonly (Text | undefined)[] {
  const sent: (readonly [what: string, text: string])[] = [
    ["the secret", credential.secret.reveal()],
  ];
  JSON.stringify([credential, scope], (key, value) => {
    if (key === "origin") return undefined;
    if (typeof value === "string") sent.push(["a name or an id", value]);
    return value;
  });
  const odd = sent.flatMap(([what, text]) => {
    const oddity = oddityOf(text);
    return oddity === undefined ? [] : `${what} that was sent ${oddity}.`;
  });
  const what = scope.kind === "account" ? "the permission" : "the project or the permission";
  const wrong = credential.way === "password" ? `${what} is wrong, or ` : "";
  return [
    ...new Set(odd),
    isNamedLikeAnId(scope) ? likeAnId(terms) : undefined,
    wasAccepted ? `${wrong}something has changed since: ${ACCEPTED}` : undefined,
  ];
}

const isNamedLikeAnId = (scope: Scope) =>
  scope.kind === "project" &&
  scope.project !== undefined &&
  "name" in scope.project &&
  /^[0-9a-f]{32}$/i.test(scope.project.name);
const likeAnId = ({ projectId }: Terms): Text =>
  words`the project's name has 32 hex digits, as an id has: give it as ${projectId}.`;

/** Of a wrong address, a Keystone's 404 looks the same. */
export function withAddress(
  causes: readonly Cause[],
  { isGuess, other }: AuthUrl,
): readonly Cause[] {
  if (other === undefined) return causes;
  const text = `the address is wrong, which was completed: write it up to /v3, such as ${other}.`;
  return isGuess ? [{ text, likely: true }, ...causes] : [...causes, { text: `Or ${text}` }];
}

const ACCEPTED = "the same credential got a token earlier in this run.";
const ACCOUNT = "The account number, which is the name of a Keystone domain, is wrong.";
const ACCOUNT_ID = "The account's id is wrong: a domain's id is not its name.";

function causesOf(context: IssueContext, isUnknown: boolean): readonly (Text | undefined)[] {
  const { credential, scope, terms } = context;
  const accounts = accountsOf(context);
  const project = projectOf(scope);
  const isOfAccount = scope.kind === "account";
  switch (credential.way) {
    case "password":
      return [
        "The password is wrong.",
        "id" in credential.user
          ? "The user's id is wrong; it is compared exactly."
          : "The user's name is wrong, or the user is in another account.",
        ...accounts,
        project,
        isOfAccount
          ? "The user has no role on the account, which a role on a project does not replace (of a service user: the access area Account)."
          : "The user has no role on the project (of a service user: the access area Account, or Projects with this one selected).",
        "The user is disabled or locked, its password has expired, or only service users may sign in and it is none.",
        terms?.whereabouts,
      ];
    case "application credential":
      return isUnknown
        ? [
            "There is none with this id, or no user with this name: it is wrong, or it was deleted. Keystone deletes an application credential when its user loses its roles on the project.",
          ]
        : [
            "The secret is wrong: Keystone displays it once, when the application credential is created.",
            "It has expired or was deleted.",
            ...("id" in credential.by ? [] : ["Its name or its user's is wrong.", ...accounts]),
            "Its user is disabled, or has lost its roles on the project.",
          ];
    case "identity token":
      return [
        `The mapping of identity provider ${quote(credential.identityProvider)} puts this token into a group without a role on ${isOfAccount ? "the account" : "the project"}, or into no group.`,
        project,
        ...accounts,
      ];
  }
}

/** What can be wrong with the project that a request names. */
function projectOf(scope: Scope): Text | undefined {
  if (scope.kind === "account") return undefined;
  const from = scope.origin === undefined ? "" : words` (from ${scope.origin})`;
  return scope.project !== undefined && "id" in scope.project
    ? words`The project's id${from} is wrong; it is compared exactly.`
    : words`The project's name${from} is wrong, or the project is in another account.`;
}

/** What can be wrong with the accounts that a request names. */
function accountsOf({ credential, scope }: IssueContext): readonly (Text | undefined)[] {
  const sent = credential.way === "application credential" ? undefined : accountOf(scope);
  const named: readonly Naming[] = [domainOf(userOf(credential)) ?? {}, sent ?? {}];
  return [
    named.some(({ name }) => name !== undefined) ? ACCOUNT : undefined,
    named.some(({ id }) => id !== undefined) ? ACCOUNT_ID : undefined,
  ];
}

/** Who requested a token, and which. */
function whoOf({ credential, scope }: IssueContext): Text {
  const project = scope.kind === "project" ? scope.project : undefined;
  const wanted =
    project === undefined ? "an account token" : `a token for project ${inWords(project)}`;
  const where = inAccount(accountOf(scope));
  switch (credential.way) {
    case "password": {
      const { user } = credential;
      const elsewhere = where === inAccount(domainOf(user)) ? "" : where;
      return `service user ${userIn(user)}, who requested ${wanted}${elsewhere}`;
    }
    case "application credential": {
      const { by } = credential;
      return "id" in by
        ? `application credential ${quote(by.id)}`
        : `application credential ${quote(by.name)} of user ${userIn(by.user)}`;
    }
    case "identity token":
      return words`the user of the identity token (${credential.origin}), who requested ${wanted}${where}`;
  }
}

const userIn = (user: User) => `${inWords(user)}${inAccount(domainOf(user))}`;

const inAccount = (account: Domain | undefined) =>
  account === undefined ? "" : ` in account ${inWords(account)}`;
