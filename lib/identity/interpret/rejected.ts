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
import { accountOf, PLAIN, type Proof } from "../credential";
import { type Domain, domainOf, inWords, type User } from "../references";
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
 * @see test/tokens/spec/request-authentication.md, "Rules of issuing an IAM token", 1-3
 */
export function rejectedError(
  answer: Heard,
  { url, secret, triesInWords }: Exchanged,
  context: IssueContext,
): IamTokensError {
  const { credential, wasAccepted } = context;
  const { authUrl, way } = credential;
  const fact = words`${url} answered ${statusText(answer, secret)} to ${whoOf(context)}${triesInWords}.`;
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
  const others = isUnknown ? UNKNOWN : CAUSES[way];
  const where = way === "password" ? context.terms?.whereabouts : undefined;
  const causes = [
    ...likelyCauses(context).map((text) => ({ text, likely: true })),
    ...[...others, ...(where === undefined ? [] : [where])].map((text) => ({ text })),
  ];
  return new IamTokensError("ERR_CREDENTIALS_REJECTED", fact, {
    causes: isUnknown ? withAddress(causes, authUrl) : causes,
    headline: wasAccepted
      ? `The service answered ${answer.status}, although ${ACCEPTED}`
      : `The service answered ${answer.status} to the ${way}, and does not say why.`,
  });
}

const BY_RULE = `Let an administrator add ["application_credential"] to the user's multi_factor_auth_rules. The request was not repeated.`;

/** Causes for which there is evidence. */
function likelyCauses({
  credential,
  scope,
  wasAccepted,
  terms = PLAIN,
}: IssueContext): readonly Text[] {
  const causes = new Set<Text>();
  const look = (what: string, text: string) => {
    const oddity = oddityOf(text);
    if (oddity !== undefined) causes.add(`${what} that was sent ${oddity}.`);
  };
  look("the secret", credential.secret.reveal());
  JSON.stringify([credential, scope], (key, value) => {
    if (key === "origin") return undefined;
    if (typeof value === "string") look("a name or an id", value);
    return value;
  });
  const project = scope.kind === "project" && scope.project;
  if (project && "name" in project && /^[0-9a-f]{32}$/i.test(project.name))
    causes.add(
      words`the project's name has 32 hex digits, as an id has: give it as ${terms.projectId}.`,
    );
  const what = scope.kind === "account" ? "the permission" : "the project or the permission";
  const wrong = credential.way === "password" ? `${what} is wrong, or ` : "";
  if (wasAccepted) causes.add(`${wrong}something has changed since: ${ACCEPTED}`);
  return [...causes];
}

/** Adds the address to the causes of a 404: Keystone answers a wrong path in the same way. */
export function withAddress(
  causes: readonly Cause[],
  { isGuess, suggestedV3 }: AuthUrl,
): readonly Cause[] {
  if (suggestedV3 === undefined) return causes;
  const text = `the address is wrong, which was completed: write it up to /v3, such as ${suggestedV3}.`;
  return isGuess ? [{ text, likely: true }, ...causes] : [...causes, { text: `Or ${text}` }];
}

const ACCEPTED = "the same credential got a token earlier in this run.";
const PLACE =
  "The account or the project is wrong, or the project is in another account: an account's number is the name of a Keystone domain, not its id, and ids are compared exactly.";

/** Causes that are possible without evidence, by the way of signing in. */
const CAUSES: Readonly<Record<Proof["way"], readonly string[]>> = {
  password: [
    "The password is wrong.",
    "The user's name or id is wrong, or the user is in another account.",
    PLACE,
    "The user has no role there; one elsewhere does not replace it (of a service user: the access area Account or, for a project, Projects with this one selected).",
    "The user is disabled or locked, its password has expired, or the service lets only service users sign in.",
  ],
  "application credential": [
    "The secret is wrong: Keystone displays it once, when the application credential is created.",
    "It has expired or was deleted.",
    "If it is given by its name: that, its user's or the account is wrong.",
    "Its user is disabled, or has lost its roles on the project.",
  ],
  "identity token": [
    "The mapping of the identity provider puts this token into a group without a role there, or into no group.",
    PLACE,
  ],
};

/** Causes of a 404. */
const UNKNOWN = [
  "No application credential has this id, or no user has this name: it is wrong, or it was deleted. Keystone deletes an application credential when its user loses its roles on the project.",
];

/** Who requested a token, and which. */
function whoOf({ credential, scope }: IssueContext): Text {
  const { project, origin } = scope.kind === "project" ? scope : {};
  const from = origin === undefined ? "" : words` (from ${origin})`;
  const wanted =
    project === undefined
      ? "an account token"
      : words`a token for project ${inWords(project)}${from}`;
  const where = inAccount(accountOf(scope));
  switch (credential.way) {
    case "password": {
      const { user } = credential;
      const elsewhere = where === inAccount(domainOf(user)) ? "" : where;
      return words`service user ${userIn(user)}, who requested ${wanted}${elsewhere}`;
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
