import type { Described, IssueRequest, Scope } from "../../identity";
import { type CtyObject, UNKNOWN } from "../../plugin/cty/value";
import type { AttributeSchema, Diagnostic } from "../../plugin/provider";
import { parseThreshold } from "../../rotation/token-due";
import { assertProjectName, defined, IamTokensError, parseMinRemaining, quote } from "../../tokens";
import { hasOwnProject, OWN_PROJECT, variableOfKey } from "../../tokens/ways";
import { argument, knownText, textArgument } from "../configuration/argument";
import { check, checkOfBlock, checkText } from "../configuration/diagnostics";
import { toDomain, toReference } from "../credentials/references";
import type { CredentialDescription, GivenProject } from "../credentials/source";
import { type ProcessContext, variableOf } from "../process/process-context";
import { ownBaseUrl, validateDestinations } from "./destinations";

/** Arguments of every IAM token object. */
export const IAM_TOKEN_ARGUMENTS: Readonly<Record<string, AttributeSchema>> = {
  scope: argument(
    "string",
    '"account" for resources of the account, "project" for those of one project. There is no default.',
    { required: true },
  ),
  project_name: argument(
    "string",
    'Name of the project, with scope = "project". By default OS_PROJECT_NAME, when the environment gives the credentials, and the ' +
      "project of an application credential.",
  ),
  project_id: argument(
    "string",
    "Id of the project, in place of project_name. A project_name next to it is compared with the answer. By default as the service " +
      "says it, or null.",
    { optional: true, computed: true },
  ),
  min_remaining: argument(
    "string",
    'Least remaining lifetime of the token that Terraform receives, as a duration ("2h"). By default a token is reused while ' +
      "2 h, or half of a shorter lifetime, are left.",
  ),
  destinations: argument(
    ["set", "string"],
    "Addresses that the token is for. Each must be below the provider's base_url, else the block fails. Without a base_url " +
      "only their form is checked.",
  ),
  after: argument(
    ["list", "string"],
    "The token is requested only when all of these strings are known: the id of a role that the same apply creates, for example. They are " +
      "sent nowhere. A change rotates a token of a resource.",
  ),
};

const mistakesIn = (config: CtyObject): readonly Diagnostic[] => {
  const scope = textArgument(config, "scope");
  return [
    ...(scope === UNKNOWN ? [] : check(["scope"], () => parseScope(scope))),
    ...["project_name", "project_id"].flatMap((name) =>
      checkText(config, name, (text) => assertProject(scope, name, text)),
    ),
    ...checkText(config, "min_remaining", (text) => parseMinRemaining(text, "min_remaining")),
    // Of a block of Terraform, only the provider's block has a base_url. Constructs know it.
    ...validateDestinations(config, ownBaseUrl(config)),
  ];
};

/** The mistakes in the arguments of an IAM token, each on its path. Skips unknown values. */
export const validateIamToken = checkOfBlock(mistakesIn);

/** The argument of a rotating token's threshold. */
export const THRESHOLD = "rotate_when_remaining";

/** The mistakes in the arguments of `resource "iam_token"`. */
export const validateRotatingToken = checkOfBlock((config) => [
  ...mistakesIn(config),
  ...checkText(config, THRESHOLD, (text) => parseThreshold(text, THRESHOLD)),
]);

/** Milliseconds; undefined if the block requires nothing. */
export function minRemainingOf(config: CtyObject): number | undefined {
  const text = knownText(config, "min_remaining");
  return text === undefined ? undefined : parseMinRemaining(text, "min_remaining");
}

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
      throw new IamTokensError("ERR_SCOPE_INVALID", `scope is "account", but ${OWN_PROJECT}.`, {
        remedy: 'Set scope = "project", or sign in with a password or an identity token.',
      });
    const { account: domain } = references;
    if (domain === undefined) throw noAccount('scope = "account"', "domain_name", description);
    const scope: Scope = { kind: "account", account: toDomain(domain) };
    return { scope, expected: defined({ user, domain }) };
  }
  const { origin, ...named } = projectOf(config, description, processContext);
  const isByName = named.id === undefined;
  const domain = isByName || isOwn ? references.projectDomain : references.ownProjectDomain;
  const project: Described = { ...named, ...defined({ domain }) };
  const expected = defined({ user, project });
  if (isOwn) return { scope: { kind: "project" }, expected };
  const reference = toReference(project);
  if (reference === undefined)
    throw noAccount("a project by name", "project_domain_name", description);
  return { scope: { kind: "project", project: reference, ...defined({ origin }) }, expected };
}

/** @param key the setting of clouds.yaml that gives it */
function noAccount(
  what: string,
  key: string,
  { source, addressFile }: CredentialDescription,
): IamTokensError {
  // Where the other parts are: account_id in the block would be a second source.
  const place = addressFile === undefined ? variableOfKey(key) : `${key} to auth, in clouds.yaml`;
  return new IamTokensError(
    "ERR_CREDENTIALS_MISSING",
    `The account is not given, which ${what} needs.`,
    { remedy: `Add ${source === "block" ? "account_id to the provider block" : place}.` },
  );
}

/** The project of a block, or of the source of the credentials; empty for an own one. */
function projectOf(
  config: CtyObject,
  { project, source, way }: CredentialDescription,
  processContext: ProcessContext,
): Partial<GivenProject> {
  const [id, name] = [knownText(config, "project_id"), knownText(config, "project_name")];
  if (id !== undefined || name !== undefined) return defined({ id, name });
  const variable = variableOf(processContext, "OS_PROJECT_NAME");
  if (project === undefined && hasOwnProject(way)) return {};
  if (project === undefined) {
    const giver = source === "block" ? "the provider block" : "the cloud";
    const why =
      variable === undefined
        ? ""
        : ` OS_PROJECT_NAME is not used because ${giver} gives the credentials, not the OS_ variables.`;
    throw new IamTokensError(
      "ERR_SCOPE_INVALID",
      `scope is "project", but project_name is not given.${why}`,
      { remedy: 'Give project_name, or set scope = "account".' },
    );
  }
  const isOther = variable !== undefined && project.name !== undefined && variable !== project.name;
  if (source === "environment" && isOther) {
    throw new IamTokensError(
      "ERR_SCOPE_INVALID",
      `project_name is not given, and OS_PROJECT_NAME differs from ${project.origin}.`,
      { remedy: "Give project_name, or unset OS_PROJECT_NAME." },
    );
  }
  for (const text of [project.id, project.name])
    if (text !== undefined) assertProjectName(project.origin, text);
  return project;
}

function parseScope(text: unknown): "account" | "project" {
  if (text === "account" || text === "project") return text;
  const given = typeof text === "string" ? quote(text) : "not given";
  throw new IamTokensError("ERR_SCOPE_INVALID", `scope is ${given}.`, {
    allowed: '"account" and "project"',
  });
}

function assertProject(scope: unknown, argument: string, text: string): void {
  if (scope === "account") {
    throw new IamTokensError("ERR_SCOPE_INVALID", `${argument} is given with scope = "account".`, {
      remedy: 'Remove it, or give scope = "project".',
    });
  }
  assertProjectName(argument, text);
}
