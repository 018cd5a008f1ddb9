import type { IssueRequest } from "../../../identity";
import { readCredential } from "../../../provider/credentials/read-credential";
import { toIamTokenArguments, toScope } from "../../../provider/objects/iam-token-arguments";
import { createIdentityAccess } from "../../../provider/process/identity-access";
import { formatDuration, IamTokensError, quote } from "../../../tokens";
import type { Check } from "../check";
import { crossOf, type Finding, ok, skipped, warning } from "../finding";
import { knownText } from "../project/stack";
import type { TerraformJson } from "../project/terraform-json";
import type { Service } from "../services";

/**
 * Whether the service really issues the tokens. They are dropped at once, and expire by themselves.
 */
export const checkIssue: Check = async (scene) => {
  const { issue } = scene.options;
  if (issue === undefined) return [skipped("No token was asked for: add --issue.")];
  const services = (await scene.services()).filter(({ description }) => description !== undefined);
  if (services.length === 0) return [skipped("There are no credentials that could be used.")];
  const found: Finding[] = [];
  const done = new Set<string>();
  for (const service of services) {
    for (const { scope, project } of wishesOf(service, issue)) {
      const { description } = service;
      const key = JSON.stringify([
        description?.authUrl.v3,
        description?.accountId,
        description?.userName,
        scope,
        project,
      ]);
      if (done.has(key)) continue;
      done.add(key);
      found.push(...(await issueOne(service, scope, project)));
    }
  }
  return found.length > 0
    ? found
    : [skipped("The stacks declare no token whose scope is known before Terraform runs.")];
};

interface Wish {
  readonly scope: string;
  readonly project: string | undefined;
}

function wishesOf({ tokens, surroundings }: Service, issue: string | true): readonly Wish[] {
  const text = (config: TerraformJson, name: string) =>
    knownText(config[name], surroundings.workingFolder);
  if (issue !== true) return [{ scope: "project", project: issue }];
  if (tokens.length === 0) return [{ scope: "account", project: undefined }];
  return tokens.flatMap((config) => {
    const [scope, project] = [text(config, "scope"), text(config, "project_name")];
    return scope === undefined || (project === undefined && config.project_name !== undefined)
      ? []
      : [{ scope, project }];
  });
}

async function issueOne(
  { about, description, surroundings }: Service,
  wanted: string,
  project: string | undefined,
): Promise<readonly Finding[]> {
  if (description === undefined) return [];
  const what =
    project === undefined
      ? `a token for the ${wanted}`
      : `a token for the project ${quote(project)}`;
  const identity = createIdentityAccess(surroundings);
  try {
    const scope = toScope(
      toIamTokenArguments({ scope: wanted, project_name: project ?? null }),
      description,
      surroundings,
    );
    const { credential, tls } = await readCredential(description, surroundings);
    const request: IssueRequest = { credential, scope, ...(tls === undefined ? {} : { tls }) };
    const started = performance.now();
    const issued = await (await identity.client(() => {})).issueOwn(
      request,
      new AbortController().signal,
    );
    const took = Math.max(1, Math.round(performance.now() - started));
    return [
      ...issued.warnings.map((sentence) =>
        warning(`${about}: ${sentence}`, "Look after it; the token was issued all the same."),
      ),
      ok(
        `${about}: ${what} was issued in ${took} ms; it lives ${formatDuration(issued.expiresAt.getTime() - issued.issuedAt.getTime())}.`,
      ),
    ];
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    return [crossOf(error, `${about}: ${what}`)];
  } finally {
    await identity.close();
  }
}
