import type { Scope } from "../../identity";
import { type CtyObject, UNKNOWN } from "../../plugin/cty/value";
import type { AttributeSchema, Diagnostic } from "../../plugin/provider";
import { parseThreshold } from "../../rotation/token-due";
import { assertProjectName, IamTokensError, parseMinRemaining, quote } from "../../tokens";
import { hasOwnProject, OWN_PROJECT } from "../../tokens/ways";
import { argument, knownText, textArgument } from "../configuration/argument";
import { check, checkOfBlock, checkText } from "../configuration/diagnostics";
import type { CredentialDescription } from "../credentials/source";
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
    ...checkText(config, "project_name", (text) => assertProject(scope, text)),
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

/**
 * The scope that a block without mistakes requests. An application credential has its own project. If the environment or a
 * cloud gives the credentials, its OS_PROJECT_NAME or project_name gives a missing project name. It
 * never selects the scope.
 *
 * @throws ERR_SCOPE_INVALID without a project name; ERR_NAME_INVALID if the supplied one is not
 * valid
 */
export function toScope(
  config: CtyObject,
  description: CredentialDescription,
  processContext: ProcessContext,
): Scope {
  const { project, source, way } = description;
  if (parseScope(textArgument(config, "scope")) === "account") {
    if (!hasOwnProject(way)) return { kind: "account" };
    throw new IamTokensError("ERR_SCOPE_INVALID", `scope is "account", but ${OWN_PROJECT}.`, {
      remedy: 'Set scope = "project", or sign in with a password or an identity token.',
    });
  }
  const projectName = knownText(config, "project_name");
  if (projectName !== undefined) return { kind: "project", projectName };
  const variable = variableOf(processContext, "OS_PROJECT_NAME");
  if (project === undefined && hasOwnProject(way)) return { kind: "project" };
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
  if (source === "environment" && variable !== undefined && variable !== project.name) {
    throw new IamTokensError(
      "ERR_SCOPE_INVALID",
      `project_name is not given, and OS_PROJECT_NAME differs from ${project.origin}.`,
      { remedy: "Give project_name, or unset OS_PROJECT_NAME." },
    );
  }
  assertProjectName(project.origin, project.name);
  return { kind: "project", projectName: project.name, origin: project.origin };
}

function parseScope(text: unknown): "account" | "project" {
  if (text === "account" || text === "project") return text;
  const given = typeof text === "string" ? quote(text) : "not given";
  throw new IamTokensError("ERR_SCOPE_INVALID", `scope is ${given}.`, {
    allowed: '"account" and "project"',
  });
}

function assertProject(scope: unknown, projectName: string): void {
  if (scope === "account") {
    throw new IamTokensError("ERR_SCOPE_INVALID", 'project_name is given with scope = "account".', {
      remedy: 'Remove it, or give scope = "project".',
    });
  }
  assertProjectName("project_name", projectName);
}
