import type { Subject } from "../../identity";
import { inWords } from "../../identity/references";
import {
  describeCredentials,
  readTlsFiles,
  resolved,
} from "../../provider/credentials/credentials";
import { partVariables } from "../../provider/credentials/environment-source";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import { toDomain } from "../../provider/credentials/references";
import type { CredentialDescription } from "../../provider/credentials/source";
import { assertAllowedAuthUrl } from "../../provider/process/allow-list";
import { createIdentityAccess } from "../../provider/process/identity-access";
import { loadIdentity } from "../../provider/process/load-part";
import { type ProcessContext, variableOf } from "../../provider/process/process-context";
import {
  assertIdentityToken,
  claimsOf,
  describeClaims,
  formatDuration,
  IamTokensError,
  quote,
} from "../../tokens";
import { hasOwnProject } from "../../tokens/ways";
import { issueToken, processContextIn, withCredential } from "../as-provider";
import type { CliContext } from "../cli-context";
import type { Answer, Check, Credentials, DoctorContext, Source } from "./context";
import { failure, failureOf, ok, skipped, warning } from "./finding";

/** @returns undefined if neither is given */
export async function sourceIn(
  folder: string,
  cloud: string | undefined,
  { env, now }: Pick<CliContext, "env" | "now">,
): Promise<Source | undefined> {
  const processContext = processContextIn(folder, env);
  const isGiven =
    (cloud ?? variableOf(processContext, "OS_CLOUD")) !== undefined ||
    partVariables(processContext).length > 0;
  if (!isGiven) return undefined;
  const block = toProviderBlock({ cloud: cloud ?? null });
  const description = await describeCredentials(block, processContext).catch(asError);
  if (IamTokensError.is(description)) return { error: description };
  // Two checks ask, and one asks first.
  let answer: Promise<Answer | IamTokensError> | undefined;
  const ask = () => (answer ??= probe(description, processContext, now).catch(asError));
  return { description, processContext, ask };
}

function asError(error: unknown): IamTokensError {
  if (IamTokensError.is(error)) return error;
  throw error;
}

/** @throws as the request; ERR_ADDRESS_NOT_ALLOWED, as none may go where secrets may not */
async function probe(
  { authUrl, files }: CredentialDescription,
  processContext: ProcessContext,
  now: () => number,
): Promise<Answer> {
  assertAllowedAuthUrl(authUrl, processContext);
  const tls = await readTlsFiles(files, processContext);
  const identity = createIdentityAccess(processContext);
  try {
    const { v3: at } = await resolved(authUrl, tls, identity, processContext);
    const options = { env: processContext.variables, now, tls };
    return { url: new URL(at), reached: await loadIdentity().probe(at, options) };
  } finally {
    await identity.close();
  }
}

type CheckOfSource = (source: Credentials, context: DoctorContext) => ReturnType<Check>;

/** A check of the source. Without one, only Terraform knows how a stack signs in. */
const ofSource =
  (check: CheckOfSource): Check =>
  (context) => {
    const { source, stacks } = context;
    if (source !== undefined)
      return source.error === undefined ? check(source, context) : failureOf(source.error);
    const none = "The environment (OS_…) gives no credentials";
    if (stacks.length === 0 || check !== whoSignsIn) return skipped(`${none}.`);
    return skipped(
      `${none}; those of a configuration are Terraform's to judge.`,
      "Run terraform plan; or give the credentials to check: the OS_ variables, or --cloud.",
    );
  };

/** Whether the credentials are there. They are read as the provider would, and dropped. */
async function whoSignsIn({ description, processContext }: Credentials, { now }: DoctorContext) {
  const { references, secret } = description;
  const account = references.user.domain ?? references.account;
  const of = account === undefined ? "" : ` of account ${inWords(toDomain(account))}`;
  const by = secret.kind === "env" ? `the variable ${secret.name}` : secret.origin;
  const text = `${whoOf(description)}${of}, by ${by}`;
  return withCredential(description, processContext, async ({ credential }, _, signal) => {
    if (credential.way !== "identity token") return ok(`${text}.`);
    const token = await credential.readToken(signal);
    assertIdentityToken(token, credential.origin);
    return ok(`${text} (${describeClaims(claimsOf(token), now())}).`);
  }).catch(failureOf);
}

/** A user, an application credential, or who vouches for an identity token. */
function whoOf(subject: Subject): string {
  if (subject.way === "password") return inWords(subject.user);
  if (subject.way === "application credential") return inWords(subject.by);
  return quote(`${subject.identityProvider}/${subject.protocol}`);
}

/** Every status counts as an answer, because the request has no credential. */
async function whatAnswers({ ask }: Credentials) {
  const answer = await ask();
  if (IamTokensError.is(answer)) return failureOf(answer);
  const { url, reached } = answer;
  const tls = url.protocol === "https:" ? ", its certificate is trusted" : "";
  const text = `${url} answers (${reached.status}) in ${Math.ceil(reached.tookMs)} ms${tls}.`;
  if (reached.status >= 500) return warning(text, "The service failed: check its status.");
  if (reached.status !== 404) return ok(text);
  return warning(text, "Check the path. Run with --issue to find out whether it issues tokens.");
}

/** Schedules tolerate this difference by default. */
const TOLERATED_MS = 5 * 60_000;
/** A smaller difference may come from the network. */
const NOTICED_MS = 60_000;

/** Expiry times are the service's. */
async function whoseClock({ ask }: Credentials) {
  const answer = await ask();
  if (IamTokensError.is(answer)) return failureOf(answer);
  const { url, reached } = answer;
  if (reached.clockAheadMs === undefined) return skipped(`${url.host} sends no Date header.`);
  const off = Math.abs(reached.clockAheadMs);
  if (off <= NOTICED_MS)
    return ok(`The clocks of this machine and ${url.host} agree within a minute.`);
  return (off > TOLERATED_MS ? failure : warning)(
    `This machine's clock is ${formatDuration(off)} ${reached.clockAheadMs < 0 ? "behind" : "ahead of"} that of ${url.host}.`,
    "Set the clock of this machine (NTP). Until then rotations come too late, too early or at each plan.",
  );
}

/** Issues a token, which is dropped at once, and expires by itself. */
async function whatIsIssued(
  { description, processContext }: Credentials,
  { issue, project }: DoctorContext,
) {
  if (!issue) return skipped("No token was requested: add --issue.");
  const own = description.project ?? (hasOwnProject(description.way) || undefined);
  const scope = (project ?? own) === undefined ? "account" : "project";
  const wanted = { scope, project_name: project ?? null };
  const what = `A token for the ${scope}${project === undefined ? "" : ` ${quote(project)}`}`;
  try {
    const { issued, tookMs } = await issueToken(description, wanted, processContext);
    const lifetime = formatDuration(issued.expiresAt.getTime() - issued.issuedAt.getTime());
    const text = `${what} was issued in ${Math.ceil(tookMs)} ms; it is valid for ${lifetime}.`;
    if (issued.warnings.length === 0) return ok(text);
    return warning([text, ...issued.warnings].join(" "), "The token was issued all the same.");
  } catch (error) {
    const failed = failureOf(error);
    return { ...failed, text: `${what}: ${failed.text}` };
  }
}

export const checkCredentials = ofSource(whoSignsIn);
export const checkIdentityService = ofSource(whatAnswers);
export const checkClock = ofSource(whoseClock);
export const checkIssue = ofSource(whatIsIssued);
