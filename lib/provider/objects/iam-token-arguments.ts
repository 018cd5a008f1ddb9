import type { Scope } from "../../identity";
import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { AttributeSchema, Diagnostic } from "../../plugin/provider";
import {
  assertProjectName,
  formatDuration,
  IAM_TOKEN_LIFETIME_MS,
  IamTokensError,
  parseDuration,
} from "../../tokens";
import { knownText, textArgument } from "../configuration/argument";
import { argument } from "../configuration/attribute";
import { check, checkText } from "../configuration/diagnostics";
import type { CredentialDescription } from "../credentials/credential-description";
import { type Surroundings, variableOf } from "../process/surroundings";
import { validateDestinations } from "./destinations";

/** What every object of an IAM token takes. */
export const IAM_TOKEN_ARGUMENTS: Readonly<Record<string, AttributeSchema>> = {
  scope: argument(
    "string",
    '"account" for resources of the account, "project" for those of one project. There is no default.',
    { required: true },
  ),
  project_name: argument(
    "string",
    'Name of the project, with scope = "project". By default OS_PROJECT_NAME, when the environment gives the credentials.',
  ),
  min_remaining: argument(
    "string",
    'How long the token must still live when it is handed out, as a duration ("2h"). By default a token is handed out again while ' +
      "2 h, or half of a shorter lifetime, are left.",
  ),
  destinations: argument(
    ["set", "string"],
    "Addresses that the token is for: each must fall under the provider's base_url, else no token is handed out. Without a base_url " +
      "they are checked to be addresses.",
  ),
};

/** Which token a block asks for. The project may still have to come from the environment. */
interface IamTokenArguments {
  readonly scope: "account" | "project";
  readonly projectName: string | null;
  /** Milliseconds. */
  readonly minRemainingMs: number | null;
}

/** The mistakes in the arguments of an IAM token, each on its path. Passes over what is unknown. */
export function validateIamToken(config: CtyObject): readonly Diagnostic[] {
  const scope = textArgument(config, "scope");
  return [
    ...(scope === UNKNOWN ? [] : check(["scope"], () => parseScope(scope))),
    ...checkText(config, "project_name", (text) => assertProject(scope, text)),
    ...checkText(config, "min_remaining", parseMinRemaining),
    ...validateDestinations(config),
  ];
}

/** The arguments of a block without mistakes, all of it known. */
export function toIamTokenArguments(config: CtyObject): IamTokenArguments {
  const minRemaining = knownText(config, "min_remaining");
  return {
    scope: parseScope(textArgument(config, "scope")),
    projectName: knownText(config, "project_name") ?? null,
    minRemainingMs: minRemaining === undefined ? null : parseMinRemaining(minRemaining),
  };
}

/**
 * The scope to ask for. OS_PROJECT_NAME, or project_name of a cloud, fills in the project when the
 * environment, or the cloud, gives the credentials; it never chooses the scope.
 *
 * @throws ERR_SCOPE_INVALID when no project is named; ERR_NAME_INVALID when what fills it in is no
 * name
 */
export function toScope(
  { scope, projectName }: IamTokenArguments,
  description: CredentialDescription,
  surroundings: Surroundings,
): Scope {
  if (scope === "account") return { kind: "account" };
  if (projectName !== null) return { kind: "project", projectName };
  const { project, source } = description;
  const variable = variableOf(surroundings, "OS_PROJECT_NAME");
  if (project === undefined) {
    const giver = source === "block" ? "the provider block" : "the cloud";
    const why =
      variable === undefined
        ? ""
        : ` OS_PROJECT_NAME is not used: ${giver} gives the credentials, not the OS_ variables.`;
    throw new IamTokensError(
      "ERR_SCOPE_INVALID",
      `scope is "project", and project_name is not given.${why}`,
      { remedy: 'Give project_name, or ask for scope = "account".' },
    );
  }
  if (source === "environment" && variable !== undefined && variable !== project.name) {
    throw new IamTokensError(
      "ERR_SCOPE_INVALID",
      `project_name is not given, and OS_PROJECT_NAME is not ${project.origin}.`,
      { remedy: "Give project_name, or unset OS_PROJECT_NAME." },
    );
  }
  assertProjectName(project.origin, project.name);
  return { kind: "project", projectName: project.name };
}

function parseScope(text: unknown): "account" | "project" {
  if (text === "account" || text === "project") return text;
  const given = typeof text === "string" ? JSON.stringify(text.slice(0, 40)) : "not given";
  throw new IamTokensError("ERR_SCOPE_INVALID", `scope is ${given}.`, {
    allowed: '"account" and "project"',
  });
}

/** What no token can have left is refused: to find out would cost a token at each try. */
function parseMinRemaining(text: string): number {
  const wanted = parseDuration(text, "min_remaining");
  if (wanted < IAM_TOKEN_LIFETIME_MS) return wanted;
  throw new IamTokensError(
    "ERR_LIFETIME_TOO_SHORT",
    `min_remaining is ${formatDuration(wanted)}, and an IAM token lives ${formatDuration(IAM_TOKEN_LIFETIME_MS)} from its issue.`,
    { remedy: "Ask for less." },
  );
}

function assertProject(scope: unknown, projectName: string): void {
  if (scope === "account") {
    throw new IamTokensError("ERR_SCOPE_INVALID", 'project_name is given with scope = "account".', {
      remedy: 'Remove it, or give scope = "project".',
    });
  }
  assertProjectName("project_name", projectName);
}
