import type { Reached, Subject, User } from "../../identity";
import { inWords } from "../../identity/references";
import type { CtyObject } from "../../plugin/cty/value";
import {
  describeCredentials,
  discovered,
  readTlsFiles,
} from "../../provider/credentials/credentials";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import { toDomain } from "../../provider/credentials/references";
import type { CredentialDescription } from "../../provider/credentials/source";
import { ALLOWED_AUTH_URLS, assertAllowedAuthUrl } from "../../provider/process/allow-list";
import { createIdentityAccess } from "../../provider/process/identity-access";
import { loadIdentity } from "../../provider/process/load-part";
import { variableOf } from "../../provider/process/process-context";
import { defined, formatDuration, IamTokensError, parseAuthUrl, quote } from "../../tokens";
import { assertIdentityToken, claimsOf, describeClaims } from "../../tokens/identity-token";
import { PARTS } from "../../tokens/ways";
import { issueToken, withCredential } from "../issue-token";
import { processContextIn } from "../process-context";
import type { Project } from "../stacks";
import {
  type Check,
  type DoctorContext,
  type Finding,
  failure,
  failureOf,
  ok,
  type Service,
  skipped,
  warning,
} from "./check";

/**
 * One for all equal provider blocks that issue a token, or could; without any, the environment's.
 */
export async function servicesOf(
  { stacks }: Project,
  folder: string,
  env: DoctorContext["env"],
): Promise<readonly Service[]> {
  const found = new Map<string, Service>();
  for (const { name, folder, blocks } of stacks) {
    for (const { alias, known, unknown, tokens } of blocks) {
      // Synthesis always writes a default block, mostly unused.
      if (alias === undefined && tokens.length === 0) continue;
      const about = `provider iam${alias === undefined ? "" : `.${alias}`}`;
      const key = JSON.stringify([about, known, unknown]);
      const { stacks = [], requests = [] } = found.get(key) ?? {};
      found.set(key, {
        ...{ about, known, unknown, processContext: processContextIn(folder, env) },
        stacks: [...stacks, name],
        requests: [...requests, ...tokens],
      });
    }
  }
  const processContext = processContextIn(folder, env);
  const names = ["OS_CLOUD", ...PARTS.flatMap(({ variables }) => variables)];
  const isGiven = names.some((name) => variableOf(processContext, name) !== undefined);
  const about = "the environment";
  if (found.size === 0 && isGiven)
    found.set("", {
      about,
      known: {},
      unknown: undefined,
      processContext,
      stacks: [],
      requests: [],
    });
  return Promise.all([...found.values()].map(described));
}

async function described(service: Service): Promise<Service> {
  const { known, unknown, processContext } = service;
  try {
    if (unknown !== undefined)
      return "auth_url" in known
        ? { ...service, authUrl: parseAuthUrl(`${known.auth_url}`) }
        : service;
    const description = await describeCredentials(toProviderBlock(known), processContext);
    return { ...service, description, authUrl: description.authUrl };
  } catch (error) {
    return { ...service, error };
  }
}

/**
 * Whether each provider block finds its credentials here. They are read as the provider would read
 * them, and dropped. A command, which may be a stranger's in a fresh checkout, is run only when a
 * token is requested.
 */
export const checkCredentials: Check = async (context) => {
  const { services } = context;
  if (services.length === 0)
    return skipped(
      "No stack has a provider block that needs credentials, and the environment (OS_…) has none.",
    );
  return Promise.all(
    services.map(async (service) => ({
      ...(await credentialsOf(service, context).catch(failureOf)),
      ...subjectOf(service),
    })),
  );
};

const subjectOf = ({ about, stacks }: Service) => ({ about, stacks });

async function credentialsOf(
  { description, error, unknown, processContext }: Service,
  { now, issue }: DoctorContext,
): Promise<Finding> {
  if (error !== undefined) throw error;
  if (description === undefined) return skipped(`Only Terraform knows ${unknown}.`);
  const { references, secret } = description;
  const account = references.user.domain ?? references.account;
  const of = account === undefined ? "" : ` of account ${inWords(toDomain(account))}`;
  const by = secret.kind === "env" ? `the variable ${secret.name}` : secret.origin;
  const text = `${whoOf(description)}${of}, by ${by}`;
  if (secret.kind === "command" && issue === undefined)
    return ok(`${text}, which was not run: --issue runs it.`);
  return withCredential(description, processContext, async ({ credential }, _, signal) => {
    if (credential.way !== "identity token") return ok(`${text}.`);
    const token = await credential.readToken(signal);
    assertIdentityToken(token, credential.origin);
    return ok(`${text} (${describeClaims(claimsOf(token), now())}).`);
  });
}

/** Of a user, of an application credential, or who vouches for it. */
function whoOf(subject: Subject): string {
  const named = (user: User) => ("id" in user ? `the user ${inWords(user)}` : quote(user.name));
  switch (subject.way) {
    case "password":
      return named(subject.user);
    case "application credential": {
      const { by } = subject;
      return "id" in by ? quote(by.id) : `${quote(by.name)} of ${named(by.user)}`;
    }
    case "identity token":
      return quote(`${subject.identityProvider}/${subject.protocol}`);
  }
}

/** The answer of each address, in the words of two checks. */
async function ofEachAddress(
  { services, now }: DoctorContext,
  toFinding: (url: URL, reached: Reached | IamTokensError) => Finding,
): Promise<readonly Finding[]> {
  const byUrl = new Map<string, Service>();
  for (const service of services) {
    const url = service.authUrl?.v3;
    // An address with a description may have files for TLS.
    if (url !== undefined && byUrl.get(url)?.description === undefined) byUrl.set(url, service);
  }
  if (byUrl.size === 0)
    return [skipped("No address is known: no stack gives one, and OS_AUTH_URL is not set.")];
  return Promise.all(
    [...byUrl].map(async ([url, service]) => {
      return probe(url, service, now).then(
        ({ at, reached }) => toFinding(new URL(at), reached),
        (error: unknown) => {
          if (IamTokensError.is(error)) return toFinding(new URL(url), error);
          throw error;
        },
      );
    }),
  );
}

/**
 * @throws as probe; ERR_ADDRESS_NOT_ALLOWED, because no request may go where secrets may not
 */
async function probe(
  url: string,
  { authUrl, description, processContext }: Service,
  now: () => number,
) {
  if (authUrl !== undefined) assertAllowedAuthUrl(authUrl, processContext);
  const tls = description && (await readTlsFiles(description.files, processContext));
  const env = processContext.variables;
  const identity = createIdentityAccess(processContext);
  try {
    const found = authUrl && (await discovered(authUrl, tls, identity, processContext));
    const at = found?.v3 ?? url;
    return { at, reached: await loadIdentity().probe(at, { env, now, ...defined({ tls }) }) };
  } finally {
    await identity.close();
  }
}

/**
 * Whether each identity service answers, and how fast. Every status counts as an answer, because
 * the request has no credential.
 */
export const checkIdentityService: Check = (context) =>
  ofEachAddress(context, (url, reached) => {
    if (IamTokensError.is(reached)) {
      return reached.code === "ERR_ADDRESS_NOT_ALLOWED"
        ? skipped(`${url} was not contacted: ${ALLOWED_AUTH_URLS} does not list it.`)
        : failureOf(reached);
    }
    const { status, tookMs } = reached;
    const tls = url.protocol === "https:" ? ", its certificate is trusted" : "";
    const text = `${url} answers (${status}) in ${Math.ceil(tookMs)} ms${tls}.`;
    if (status >= 500) return warning(text, "The service failed: check its status.");
    if (status !== 404) return ok(text);
    return warning(text, "Check the path. Run with --issue to find out whether it issues tokens.");
  });

/** Schedules tolerate this difference by default. */
const TOLERATED_MS = 5 * 60_000;
/** A smaller difference may come from the network. */
const NOTICED_MS = 60_000;

/**
 * The difference between the clocks of this machine and of the identity service: expiry times are
 * the service's.
 */
export const checkClock: Check = (context) =>
  ofEachAddress(context, ({ host }, reached) => {
    // The other check reports an unreachable service.
    const ahead = IamTokensError.is(reached) ? undefined : reached.clockAheadMs;
    if (ahead === undefined) return skipped(`${host} sends no Date header, or cannot be reached.`);
    const off = Math.abs(ahead);
    if (off <= NOTICED_MS)
      return ok(`The clocks of this machine and ${host} agree within a minute.`);
    return (off > TOLERATED_MS ? failure : warning)(
      `This machine's clock is ${formatDuration(off)} ${ahead < 0 ? "behind" : "ahead of"} that of ${host}.`,
      "Set the clock of this machine (NTP). Until then rotations come too late, too early or at each plan.",
    );
  });

/**
 * Whether the service really issues the tokens: each of the declared scopes once. They are dropped
 * at once, and expire by themselves.
 */
export const checkIssue: Check = async ({ services, issue }) => {
  if (issue === undefined) return skipped("No token was requested: add --issue.");
  const issued = new Map<string, Promise<Finding>>();
  const found: Finding[] = [];
  for (const service of services) {
    const { description, requests, processContext } = service;
    if (description === undefined) continue;
    const declared = requests.flatMap(({ known, unknown }) =>
      unknown === undefined ? [known] : [],
    );
    const wanted = issue === true ? declared : [{ scope: "project", project_name: issue }];
    for (const request of wanted.length === 0 ? [{ scope: "account" }] : wanted) {
      const key = JSON.stringify([description, request]);
      // A second request with a wrong password may lock its user.
      const finding = issued.get(key) ?? issueOne(description, request, processContext);
      issued.set(key, finding);
      found.push({ ...(await finding), ...subjectOf(service) });
    }
  }
  return found.length === 0 ? skipped("There are no usable credentials.") : found;
};

async function issueOne(
  description: CredentialDescription,
  request: CtyObject,
  processContext: Service["processContext"],
): Promise<Finding> {
  const { scope, project_name: project, project_id: id } = request;
  const named = id ? inWords({ id: String(id) }) : project ? quote(String(project)) : undefined;
  const what = `A token for the ${named === undefined ? String(scope) : `project ${named}`}`;
  try {
    const { issued, tookMs } = await issueToken(description, request, processContext);
    const lifetime = formatDuration(issued.expiresAt.getTime() - issued.issuedAt.getTime());
    const text = `${what} was issued in ${Math.ceil(tookMs)} ms; it is valid for ${lifetime}.`;
    return issued.warnings.length === 0
      ? ok(text)
      : warning(`${text} ${issued.warnings.join(" ")}`, "Investigate; the token was still issued.");
  } catch (error) {
    const { text, ...rest } = failureOf(error);
    return { ...rest, text: `${what}: ${text}` };
  }
}
