import type { Described, IssueRequest, Scope, Terms } from "../../identity";
import type { CtyObject } from "../../plugin/cty/value";
import {
  assertProjectName,
  BLOCK,
  defined,
  IamTokensError,
  ofProcess,
  parseMinRemaining,
  setting,
  words,
} from "../../tokens";
import { hasOwnProject, OWN_PROJECT, variableOfKey } from "../../tokens/ways";
import { knownText, textArgument } from "../configuration/argument";
import { toDomain, toReference } from "../credentials/references";
import type { CredentialDescription, GivenProject } from "../credentials/source";
import { type ProcessContext, variableOf } from "../process/process-context";
import { parseScope } from "./iam-token-arguments";

/** Milliseconds; undefined if the block requires nothing. */
export function minRemainingOf(config: CtyObject): number | undefined {
  const text = knownText(config, "min_remaining");
  return text === undefined ? undefined : parseMinRemaining(text, setting("min_remaining"));
}

/** The provider's words, for the messages of the identity client. */
export const TERMS: Terms = {
  minRemaining: setting("min_remaining"),
  projectId: words`${setting("project_id")} (OS_PROJECT_ID)`,
  given: words`${setting("project_name")}, ${setting("account_id")} or a domain`,
  // The service of the specification; other Keystones have other panels, or none.
  whereabouts:
    "Where there is a control panel with service users, the account number is in its upper right corner, and names and passwords are under Account, Users, tab Service users (seen by the account owner and by the role iam.admin).",
};

/** What a block without mistakes requests: the scope, and what the answer is compared with. */
export type Wanted = Pick<IssueRequest, "scope" | "expected">;

/**
 * What a block without mistakes requests. An application credential has its own project. If the
 * environment or a cloud gives the credentials, its project is that of a block without one. It
 * never selects the scope.
 *
 * @throws ERR_SCOPE_INVALID without a project; ERR_CREDENTIALS_MISSING without the account of a
 * name; ERR_NAME_INVALID if the supplied name is not valid
 */
export function toWanted(
  config: CtyObject,
  description: CredentialDescription,
  processContext: ProcessContext,
): Wanted {
  const { references, way } = description;
  const isOwn = hasOwnProject(way);
  const user = way === "identity token" ? undefined : references.user;
  if (parseScope(textArgument(config, "scope")) === "account") {
    if (isOwn)
      throw new IamTokensError(
        "ERR_SCOPE_INVALID",
        words`${setting("scope")} is "account", but ${OWN_PROJECT}.`,
        {
          remedy: 'Set scope = "project", or sign in with a password or an identity token.',
        },
      );
    const { account: domain } = references;
    if (domain === undefined) throw noAccount('scope = "account"', "domain_name", description);
    const scope: Scope = { kind: "account", account: toDomain(domain) };
    return { scope, expected: defined({ user, domain }) };
  }
  const { origin, ...named } = projectOf(config, description, processContext);
  const isByName = named.id === undefined;
  // Only a domain that was given for the project is compared: the user's need not be the same.
  const ofProject = isByName ? references.projectDomain : references.ownProjectDomain;
  const domain = isOwn ? references.saidProjectDomain : ofProject;
  const project: Described = { ...named, ...defined({ domain }) };
  const expected = defined({ user, project });
  if (isOwn) return { scope: { kind: "project" }, expected };
  const reference = toReference(project);
  if (reference === undefined)
    throw noAccount("a project by name", "project_domain_name", description);
  return { scope: { kind: "project", project: reference, ...defined({ origin }) }, expected };
}

/** @param key the setting of clouds.yaml that gives it */
function noAccount(what: string, key: string, { kind }: CredentialDescription): IamTokensError {
  // Where the other parts are: account_id in the block would be a second source.
  const place = {
    arguments: words`${setting("account_id")} to ${BLOCK}`,
    keys: `${key} to auth, in clouds.yaml`,
    variables: variableOfKey(key),
  };
  const fact = `The account is not given, which ${what} needs.`;
  return new IamTokensError("ERR_CREDENTIALS_MISSING", fact, {
    remedy: words`Add ${place[kind]}.`,
  });
}

const PROJECT_NAME = setting("project_name");
const PROJECT_VARIABLE = "OS_PROJECT_NAME";

/** The project of a block, or of the source of the credentials; empty for an own one. */
function projectOf(
  config: CtyObject,
  { project, givenBy, way }: CredentialDescription,
  processContext: ProcessContext,
): Partial<GivenProject> {
  const [id, name] = [knownText(config, "project_id"), knownText(config, "project_name")];
  if (id !== undefined || name !== undefined) return defined({ id, name });
  if (project === undefined && hasOwnProject(way)) return {};
  if (project === undefined)
    throw new IamTokensError(
      "ERR_SCOPE_INVALID",
      words`scope is "project", but ${PROJECT_NAME} is not given.`,
      { remedy: words`Give ${PROJECT_NAME}, or set scope = "account".` },
    );
  const variable = variableOf(processContext, PROJECT_VARIABLE);
  const isOther = variable !== undefined && project.name !== undefined && variable !== project.name;
  if (givenBy === "environment" && isOther) {
    throw new IamTokensError(
      "ERR_SCOPE_INVALID",
      words`${PROJECT_NAME} is not given, and ${ofProcess(PROJECT_VARIABLE)} differs from ${project.origin}.`,
      { remedy: words`Give ${PROJECT_NAME}, or unset ${PROJECT_VARIABLE}.` },
    );
  }
  for (const text of [project.id, project.name])
    if (text !== undefined) assertProjectName(project.origin, text);
  return project;
}
