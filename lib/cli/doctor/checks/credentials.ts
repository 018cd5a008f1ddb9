import type { IssueRequest } from "../../../identity";
import type { CredentialDescription } from "../../../provider/credentials/credential-description";
import { readCredential } from "../../../provider/credentials/read-credential";
import { toIamTokenArguments, toScope } from "../../../provider/objects/iam-token-arguments";
import { createIdentityAccess } from "../../../provider/process/identity-access";
import { defined, formatDuration, IamTokensError, quote } from "../../../tokens";
import { pathInShell } from "../../shell-quoted";
import { type Check, crossOf, type Findings, ok, skipped, unless, warning } from "../finding";
import { knownText } from "../project";
import type { Service } from "../services";

/**
 * Whether each provider block finds its credentials here. They are read, as the provider would, and
 * dropped.
 */
export const checkCredentials: Check = async (scene) => {
  const services = await scene.services();
  const found = (await Promise.all(services.map(findingsOf))).flat();
  return unless(found, () =>
    skipped(
      "No stack has a provider block that needs credentials, and the environment (OS_…) gives none.",
    ),
  );
};

async function findingsOf(service: Service): Promise<Findings> {
  const { about, description, error, unknown } = service;
  if (error !== undefined) return crossOf(error, about);
  if (unknown !== undefined || description === undefined)
    return skipped(`${about}: ${unknown ?? "something"} is known to Terraform only.`);
  try {
    await readCredential(description, service.surroundings);
  } catch (failed) {
    return crossOf(failed, about);
  }
  const { remark, userName, accountId } = description;
  const literal = warning(
    `${about}: the password stands in the configuration itself.`,
    "Refer to it: password_env or password_file.",
  );
  return [
    ...(service.literalPassword ? [literal] : []),
    ...(remark === undefined ? [] : [warning(`${about}: ${remark}`, "See docs/credentials.md.")]),
    ok(
      `${about}: ${quote(userName)} of account ${quote(accountId)}, ${passwordFrom(description)}.`,
    ),
  ];
}

function passwordFrom({ source, password }: CredentialDescription): string {
  if (source === "cloud") return "from clouds.yaml";
  if (password.kind === "env") return `password from the variable ${password.name}`;
  return password.kind === "file"
    ? `password from the file ${pathInShell(password.path)}`
    : "password in the configuration";
}

/**
 * Whether the service really issues the tokens. They are dropped at once, and expire by themselves.
 */
export const checkIssue: Check = async (scene) => {
  const { issue } = scene.options;
  if (issue === undefined) return skipped("No token was asked for: add --issue.");
  const wishes = new Map<string, Wish>();
  let usable = false;
  for (const service of await scene.services()) {
    const { description } = service;
    if (description === undefined) continue;
    usable = true;
    const { authUrl, accountId, userName } = description;
    for (const asked of askedOf(service, issue)) {
      const key = JSON.stringify([authUrl.v3, accountId, userName, asked.scope, asked.project]);
      if (!wishes.has(key)) wishes.set(key, { ...asked, service, description });
    }
  }
  if (!usable) return skipped("There are no credentials that could be used.");
  const found = [];
  for (const wish of wishes.values()) found.push(...(await issueOne(wish)));
  return unless(found, () =>
    skipped("The stacks declare no token whose scope is known before Terraform runs."),
  );
};

interface Asked {
  readonly scope: string;
  readonly project: string | undefined;
}

interface Wish extends Asked {
  readonly service: Service;
  readonly description: CredentialDescription;
}

function askedOf({ tokens, surroundings }: Service, issue: string | true): readonly Asked[] {
  if (issue !== true) return [{ scope: "project", project: issue }];
  if (tokens.length === 0) return [{ scope: "account", project: undefined }];
  return tokens.flatMap((config) => {
    const [scope, project] = [config.scope, config.project_name].map((value) =>
      knownText(value, surroundings.workingFolder),
    );
    return scope === undefined || (project === undefined && config.project_name !== undefined)
      ? []
      : [{ scope, project }];
  });
}

async function issueOne({ service, description, scope: wanted, project }: Wish) {
  const { about, surroundings } = service;
  const whose = project === undefined ? wanted : `project ${quote(project)}`;
  const what = `${about}: a token for the ${whose}`;
  const identity = createIdentityAccess(surroundings);
  try {
    const asked = toIamTokenArguments({ scope: wanted, project_name: project ?? null });
    const scope = toScope(asked, description, surroundings);
    const { credential, tls } = await readCredential(description, surroundings);
    const request: IssueRequest = { credential, scope, ...defined({ tls }) };
    const started = performance.now();
    const client = await identity.client(() => {});
    const issued = await client.issueOwn(request, new AbortController().signal);
    const took = Math.max(1, Math.round(performance.now() - started));
    const lifetime = formatDuration(issued.expiresAt.getTime() - issued.issuedAt.getTime());
    return [
      ...issued.warnings.map((sentence) =>
        warning(`${about}: ${sentence}`, "Look after it; the token was issued all the same."),
      ),
      ok(`${what} was issued in ${took} ms; it lives ${lifetime}.`),
    ];
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    return [crossOf(error, what)];
  } finally {
    await identity.close();
  }
}
