import {
  type AuthUrl,
  type Cause,
  ERROR_CODES,
  IamTokensError,
  oddityOf,
  type Text,
  words,
} from "../../tokens";
import { accountOf, PLAIN, type Proof, userOf } from "../credential";
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
 * Why a credential was refused, after "The service", by the fixed part of Keystone's sentence; and
 * what to do if it names the cause. Nothing of a body is repeated.
 */
const SAID: readonly (readonly [sentence: RegExp, why: string, remedy?: string])[] = [
  [/^(The request you have made requires authentication\.|$)/, "does not say why"],
  [
    /^The password is expired and needs to be changed for user: /,
    "says that the password has expired, or is a first one that the user has to change",
    "Let the user change the password, or an administrator set another; then store the new one.",
  ],
  [
    /^The account is locked for user: /,
    "says that the user is locked, after too many wrong passwords",
    "Wait until the lock ends, or let an administrator set another password.",
  ],
  [
    /^The account is disabled for user: /,
    "says that the user is disabled",
    "Let an administrator enable the user.",
  ],
  [
    /^Attempted to authenticate with an unsupported method\./,
    "says that it does not accept this way of signing in",
    "Sign in in another way, or let the service's operator switch this one on (auth methods).",
  ],
  [/^/, "says why in words that are not repeated here"],
];
const FOREIGN = "may be another one, or a proxy: the answer is not Keystone's";

function whyOf(answer: Heard) {
  const { message } = membersOf(membersOf(answer.json).error);
  const said = typeof message === "string" ? message : "";
  const row = isKeystones(answer) && SAID.find(([sentence]) => sentence.test(said));
  return row || ([/^/, FOREIGN] as const);
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
  const { credential, wasAccepted, terms = PLAIN } = context;
  const { way } = credential;
  const fact = words`${url} answered ${statusText(answer, secret)} to ${whoOf(context)}${triesInWords}.`;
  if (headerValues(answer, "openstack-auth-receipt").length > 0)
    return new IamTokensError("ERR_SECOND_FACTOR_REQUIRED", fact, {
      more: "The credentials were right, but the service requires a second factor.",
      ...(way === "application credential" && { remedy: BY_RULE }),
    });
  const [, why, remedy] = whyOf(answer);
  const isUnknown = answer.status === 404;
  const others = (isUnknown ? UNKNOWN : CAUSES[way]).map((text) => ({ text }));
  const causes = [...likelyCauses(context), ...others];
  const isPassword = way === "password" && terms.whereabouts;
  const possible = {
    causes: isUnknown ? withAddress(causes, credential.authUrl) : causes,
    ...(isPassword && { remedy: words`${CHECK} ${terms.whereabouts}` }),
  };
  return new IamTokensError("ERR_CREDENTIALS_REJECTED", fact, {
    more: `The service ${why}.`,
    headline:
      wasAccepted && !remedy
        ? `The service answered ${answer.status}, although ${ACCEPTED}`
        : `The service answered ${answer.status} to the ${way}, and ${why}.`,
    ...(remedy === undefined ? possible : { remedy }),
  });
}

const [, CHECK] = ERROR_CODES.ERR_CREDENTIALS_REJECTED;
const BY_RULE = `Let an administrator add ["application_credential"] to the user's multi_factor_auth_rules. The request was not repeated.`;

/** Causes for which there is evidence. */
function likelyCauses({
  credential,
  scope,
  wasAccepted,
  terms = PLAIN,
}: IssueContext): readonly Cause[] {
  const causes = new Set<Text>();
  const look = (what: string, text: string) => {
    const oddity = oddityOf(text);
    if (oddity !== undefined) causes.add(`${what} that was sent ${oddity}.`);
  };
  look("the secret", credential.secret.reveal());
  JSON.stringify([credential, scope], (key, value) => {
    if (typeof value === "string" && key !== "origin") look("a name or an id", value);
    return value;
  });
  const project = scope.kind === "project" && scope.project;
  if (project && "name" in project && /^[0-9a-f]{32}$/i.test(project.name))
    causes.add(
      words`the project's name has 32 hex digits, as an id has: give it as ${terms.projectId}.`,
    );
  if (wasAccepted)
    causes.add(`the scope or the permission is wrong, or something has changed since: ${ACCEPTED}`);
  return Array.from(causes, (text) => ({ text, likely: true }));
}

/** Adds the address to the causes of a 404: Keystone answers a wrong path in the same way. */
export function withAddress(
  causes: readonly Cause[],
  { isGuess, suggestedV3 }: AuthUrl,
): readonly Cause[] {
  const text = `the address is wrong: write it up to /v3, such as ${suggestedV3}.`;
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
  if (credential.way === "application credential") {
    const { by } = credential;
    return `application credential ${inWords(by)}${"id" in by ? "" : ` of user ${userIn(by.user)}`}`;
  }
  const { project, origin } = scope.kind === "project" ? scope : {};
  const from = origin === undefined ? "" : words` (from ${origin})`;
  const wanted =
    project === undefined
      ? "an account token"
      : words`a token for project ${inWords(project)}${from}`;
  const user = userOf(credential);
  const who =
    credential.way === "password"
      ? `service user ${userIn(credential.user)}`
      : words`the user of the identity token (${credential.origin})`;
  const where = inAccount(accountOf(scope));
  return words`${who}, who requested ${wanted}${where === inAccount(domainOf(user)) ? "" : where}`;
}

const userIn = (user: User) => `${inWords(user)}${inAccount(domainOf(user))}`;

const inAccount = (account: Domain | undefined) =>
  account === undefined ? "" : ` in account ${inWords(account)}`;
