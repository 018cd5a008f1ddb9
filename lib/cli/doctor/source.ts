import type { Reached, Subject } from "../../identity";
import { inWords } from "../../identity/references";
import { describeCredentials } from "../../provider/credentials/describe-credentials";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import { toDomain } from "../../provider/credentials/references";
import { serviceOf } from "../../provider/credentials/service";
import type { CredentialDescription } from "../../provider/credentials/source";
import { createIdentityAccess } from "../../provider/process/identity-access";
import { loadIdentity } from "../../provider/process/load-part";
import type { ProcessContext } from "../../provider/process/process-context";
import { assertIdentityToken, claimsOf, describeClaims, formatDuration, quote } from "../../tokens";
import { hasOwnProject } from "../../tokens/ways";
import { issueToken, processContextIn, withCredential } from "../as-provider";
import {
  type DoctorContext,
  type Finding,
  failure,
  failureOf,
  ok,
  skipped,
  warning,
} from "./finding";

/** The checks of the one source of credentials, in their order. */
export type CheckOfSource = "credentials" | "identity-service" | "clock" | "issue";

/**
 * Checks the credentials of the environment or of a cloud, and their service, to the first failure:
 * that of a later check would have the same cause.
 */
export async function* checkSource(
  context: DoctorContext,
  isWanted: (check: CheckOfSource) => boolean,
): AsyncGenerator<readonly [CheckOfSource, Finding]> {
  const { env, folder, cloud, now, hasSource, stacks, issue } = context;
  // Without a source, only Terraform knows how a stack signs in.
  if (!hasSource) {
    const none = "The environment (OS_…) gives no credentials";
    yield [
      "credentials",
      stacks.length === 0
        ? skipped(`${none}.`)
        : skipped(
            `${none}; those of a configuration are Terraform's to judge.`,
            "Run terraform plan; or give the credentials to check: the OS_ variables, or --cloud. To check the rest alone: --only.",
          ),
    ];
    return;
  }
  let check: CheckOfSource = "credentials";
  try {
    const process = processContextIn(folder, env);
    const description = await describeCredentials(
      toProviderBlock({ cloud: cloud ?? null }),
      process,
    );
    if (isWanted(check)) yield [check, await whoSignsIn(description, process, now)];
    check = "identity-service";
    if (isWanted(check) || isWanted("clock")) {
      const answer = await probe(description, process, now);
      if (isWanted(check)) yield [check, whatAnswers(answer)];
      if (isWanted("clock")) yield ["clock", whoseClock(answer)];
    }
    check = "issue";
    if (isWanted(check) && issue) yield [check, await whatIsIssued(description, process, context)];
  } catch (error) {
    yield [check, failureOf(error)];
  }
}

/** Whether the credentials are there. They are read as the provider would, and dropped. */
function whoSignsIn(
  description: CredentialDescription,
  process: ProcessContext,
  now: () => number,
): Promise<Finding> {
  const { references, secret } = description;
  const account = references.user.domain ?? references.account;
  const ofAccount = account === undefined ? "" : ` of account ${inWords(toDomain(account))}`;
  const by = secret.kind === "env" ? `the variable ${secret.name}` : secret.origin;
  const text = `${whoOf(description)}${ofAccount}, by ${by}`;
  return withCredential(description, process, async ({ credential }, _, signal) => {
    if (credential.way !== "identity token") return ok(`${text}.`);
    const token = await credential.readToken(signal);
    assertIdentityToken(token, credential.origin);
    return ok(`${text} (${describeClaims(claimsOf(token), now())}).`);
  });
}

/** A user, an application credential, or who vouches for an identity token. */
function whoOf(subject: Subject): string {
  if (subject.way === "password") return inWords(subject.user);
  if (subject.way === "application credential") return inWords(subject.by);
  return quote(`${subject.identityProvider}/${subject.protocol}`);
}

interface Answer {
  readonly url: URL;
  readonly reached: Reached;
}

/**
 * Asks the service, without a credential.
 *
 * @throws as the request; ERR_ADDRESS_NOT_ALLOWED, as none may go where secrets may not
 */
async function probe(
  description: CredentialDescription,
  process: ProcessContext,
  now: () => number,
): Promise<Answer> {
  const identity = createIdentityAccess(process);
  try {
    const { authUrl, tls } = await serviceOf(description, identity, process);
    const options = { env: process.variables, now, tls };
    const reached = await loadIdentity(process).probe(authUrl.v3, options);
    return { url: new URL(authUrl.v3), reached };
  } finally {
    await identity.close();
  }
}

/** Every status counts as an answer, because the request has no credential. */
function whatAnswers({ url, reached }: Answer): Finding {
  const tls = url.protocol === "https:" ? ", its certificate is trusted" : "";
  const text = `${url} answers (${reached.status}) in ${Math.ceil(reached.tookMs)} ms${tls}.`;
  if (reached.status >= 500) return warning(text, "The service failed: check its status.");
  if (reached.status === 403)
    return warning(text, "A firewall or a proxy before the service may refuse this client.");
  if (reached.status !== 404) return ok(text);
  return warning(text, "Check the path. Run with --issue to find out whether it issues tokens.");
}

/** Schedules tolerate this difference by default. */
const TOLERATED_MS = 5 * 60_000;
/** A smaller difference may come from the network. */
const NOTICED_MS = 60_000;

/** Expiry times are the service's. */
function whoseClock({ url: { host }, reached: { clockAheadMs: ahead } }: Answer): Finding {
  if (ahead === undefined) return skipped(`${host} sends no Date header.`);
  const off = Math.abs(ahead);
  if (off <= NOTICED_MS) return ok(`The clocks of this machine and ${host} agree within a minute.`);
  return (off > TOLERATED_MS ? failure : warning)(
    `This machine's clock is ${formatDuration(off)} ${ahead < 0 ? "behind" : "ahead of"} that of ${host}.`,
    "Set the clock of this machine (NTP). Until then rotations come too late, too early or at each plan.",
  );
}

/** Issues a token, which is dropped at once, and expires by itself. */
async function whatIsIssued(
  description: CredentialDescription,
  process: ProcessContext,
  { project }: DoctorContext,
): Promise<Finding> {
  const own = description.project ?? (hasOwnProject(description.way) || undefined);
  const scope = (project ?? own) === undefined ? "account" : "project";
  const what = `A token for the ${scope}${project === undefined ? "" : ` ${quote(project)}`}`;
  try {
    const wanted = { scope, project_name: project ?? null };
    const { issued, tookMs } = await issueToken(description, wanted, process);
    const lifetime = formatDuration(issued.expiresAt.getTime() - issued.issuedAt.getTime());
    const text = `${what} was issued in ${Math.ceil(tookMs)} ms; it is valid for ${lifetime}.`;
    if (issued.warnings.length === 0) return ok(text);
    return warning([text, ...issued.warnings].join(" "), "The token was issued all the same.");
  } catch (error) {
    const failed = failureOf(error);
    return { ...failed, text: `${what}: ${failed.text}` };
  }
}
