import type { Scope } from "../../identity";
import { assertName, IamTokensError } from "../../tokens";
import type { CredentialDescription } from "../credentials/credential-description";
import { type Surroundings, variableOf } from "../surroundings";
import type { IamTokenArguments } from "./iam-token-arguments";

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
      {
        remedy: 'Give project_name, or ask for scope = "account".',
      },
    );
  }
  if (source === "environment" && variable !== undefined && variable !== project.name) {
    throw new IamTokensError(
      "ERR_SCOPE_INVALID",
      `project_name is not given, and OS_PROJECT_NAME is not ${project.origin}.`,
      {
        remedy: "Give project_name, or unset OS_PROJECT_NAME.",
      },
    );
  }
  assertName(project.origin, project.name);
  return { kind: "project", projectName: project.name };
}
