import { inConstructWords } from "../../../provider/configuration/construct-words";
import { readCredential } from "../../../provider/credentials/credentials";
import { type CredentialDescription, nameOf } from "../../../provider/credentials/source";
import { toIamTokenArguments } from "../../../provider/objects/iam-token-arguments";
import { createIdentityAccess } from "../../../provider/process/identity-access";
import { SecretReader } from "../../../provider/secrets/secret-reader";
import type { Reading } from "../../../provider/secrets/secret-reference";
import { formatDuration, IamTokensError, pathInShell, quote } from "../../../tokens";
import { CandidatesOnce } from "../../../tokens/candidates";
import { assertIdentityToken, claimsOf, describeClaims } from "../../../tokens/identity-token";
import { issueToken } from "../../issue-token";
import type { Check } from "../doctor-context";
import {
  type Finding,
  type Findings,
  failureOf,
  findingsOr,
  ok,
  skipped,
  warning,
} from "../finding";
import { knownText } from "../project";
import type { Service } from "../services";

/**
 * Whether each provider block finds its credentials here. They are read as the provider would read
 * them, and dropped. A command, which may be a stranger's in a fresh checkout, is run only when a
 * token is requested.
 */
export const checkCredentials: Check = async (context) => {
  const services = await context.services();
  const found = (await Promise.all(services.map((service) => findingsOf(service, context)))).flat();
  return findingsOr(found, () =>
    skipped(
      "No stack has a provider block that needs credentials, and the environment (OS_…) has none.",
    ),
  );
};

async function findingsOf(
  service: Service,
  { now, options }: Parameters<Check>[0],
): Promise<Findings> {
  const { about, description, error, unknown, declaredBy } = service;
  if (error !== undefined) return failureOf(inConstructWords(error, declaredBy), about);
  if (unknown !== undefined || description === undefined)
    return skipped(`${about}: only Terraform knows ${unknown ?? "a value"}.`);
  if (description.secret.kind === "command" && options.issue === undefined)
    return ok(
      `${about}: ${subjectText(description)}, ${secretFrom(description)}, which was not run: --issue runs it.`,
    );
  let claims = "";
  const identity = createIdentityAccess(service.processContext);
  try {
    const reader = new SecretReader(service.processContext, identity);
    const { credential } = await readCredential(
      description,
      service.processContext,
      reader,
      READING,
    );
    if (credential.way === "identity token") {
      const token = await credential.readToken(READING.signal);
      assertIdentityToken(token, credential.origin);
      claims = ` (${describeClaims(claimsOf(token), now())})`;
    }
  } catch (failed) {
    return failureOf(inConstructWords(failed, declaredBy), about);
  } finally {
    await identity.close();
  }
  const literal = warning(
    `${about}: the secret is a literal in the configuration.`,
    "Give the name of a variable, a file or a command in its place.",
  );
  return [
    ...(service.literalSecret ? [literal] : []),
    ok(`${about}: ${subjectText(description)}, ${secretFrom(description)}${claims}.`),
  ];
}

const READING: Reading = { signal: new AbortController().signal, log: () => {} };

function subjectText(description: CredentialDescription): string {
  const name = quote(nameOf(description));
  const of =
    description.accountId === undefined ? "" : ` of account ${quote(description.accountId)}`;
  return description.way === "password" ? `${name}${of}` : `${description.way} ${name}${of}`;
}

function secretFrom({ source, secret, way }: CredentialDescription): string {
  if (source === "cloud") return "from clouds.yaml";
  const what = way === "application credential" ? "secret" : way;
  switch (secret.kind) {
    case "env":
      return `${what} from the variable ${secret.name}`;
    case "file":
      return `${what} from the file ${pathInShell(secret.path)}`;
    case "command":
      return `${what} from the command ${quote(secret.command[0])}`;
    case "audience":
      return `${what} from GitHub Actions for the audience ${quote(secret.audience)}`;
    case "value":
      return `${what} in the configuration`;
  }
}

/**
 * Whether the service really issues the tokens. They are dropped at once, and expire by themselves.
 */
export const checkIssue: Check = async (context) => {
  const { issue } = context.options;
  if (issue === undefined) return skipped("No token was requested: add --issue.");
  const requests = new Map<string, TokenRequest>();
  let usable = false;
  for (const service of await context.services()) {
    const { description } = service;
    if (description === undefined) continue;
    usable = true;
    const { authUrl, accountId, way } = description;
    for (const asked of askedOf(service, issue)) {
      const who = [authUrl.v3, accountId, way, nameOf(description)];
      const key = JSON.stringify([...who, asked.scope, asked.project]);
      if (!requests.has(key)) requests.set(key, { ...asked, service, description });
    }
  }
  if (!usable) return skipped("There are no usable credentials.");
  const found: Finding[] = [];
  const once = new CandidatesOnce();
  for (const request of requests.values()) found.push(...(await issueOne(request, once)));
  return findingsOr(found, () =>
    skipped("No declared token has a scope that is known before Terraform runs."),
  );
};

interface RequestedScope {
  readonly scope: string;
  readonly project: string | undefined;
}

interface TokenRequest extends RequestedScope {
  readonly service: Service;
  readonly description: CredentialDescription;
}

function askedOf(
  { tokens, processContext }: Service,
  issue: string | true,
): readonly RequestedScope[] {
  if (issue !== true) return [{ scope: "project", project: issue }];
  if (tokens.length === 0) return [{ scope: "account", project: undefined }];
  return tokens.flatMap((config) => {
    const [scope, project] = [config.scope, config.project_name].map((value) =>
      knownText(value, processContext.workingFolder),
    );
    return scope === undefined || (project === undefined && config.project_name !== undefined)
      ? []
      : [{ scope, project }];
  });
}

async function issueOne(
  { service, description, scope: wanted, project }: TokenRequest,
  once: CandidatesOnce,
): Promise<readonly Finding[]> {
  const { about, processContext } = service;
  const whose = project === undefined ? wanted : `project ${quote(project)}`;
  const what = `${about}: a token for the ${whose}`;
  try {
    const asked = toIamTokenArguments({ scope: wanted, project_name: project ?? null });
    const { issued, tookMs } = await issueToken(description, asked, processContext);
    const took = Math.max(1, Math.round(tookMs));
    const lifetime = formatDuration(issued.expiresAt.getTime() - issued.issuedAt.getTime());
    return [
      ...issued.warnings.map((sentence) =>
        warning(`${about}: ${sentence}`, "Investigate; the token was still issued."),
      ),
      ok(`${what} was issued in ${took} ms; it is valid for ${lifetime}.`),
    ];
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    return [failureOf(inConstructWords(once.report(error), service.declaredBy), what)];
  }
}
