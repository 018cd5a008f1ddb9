import type { Scope } from "../../identity";
import { assertName, IamTokensError } from "../../tokens";
import type { CredentialDescription } from "../credentials/credential-description";
import { type Surroundings, variableOf } from "../surroundings";
import type { IamTokenArguments } from "./iam-token-arguments";

/**
 * The scope to ask for. OS_PROJECT_NAME fills in the project when the environment gives the credentials; it never chooses
 * the scope.
 *
 * @throws ERR_SCOPE_INVALID when no project is named; ERR_NAME_INVALID when OS_PROJECT_NAME is no name
 */
export function toScope(
  { scope, projectName }: IamTokenArguments,
  description: CredentialDescription,
  surroundings: Surroundings,
): Scope {
  if (scope === "account") return { kind: "account" };
  if (projectName !== null) return { kind: "project", projectName };
  const { environmentProject } = description;
  if (environmentProject === undefined) {
    const unused = variableOf(surroundings, "OS_PROJECT_NAME") !== undefined;
    const why = unused ? " OS_PROJECT_NAME is not used: the provider block gives the credentials, not the environment." : "";
    throw new IamTokensError("ERR_SCOPE_INVALID", `scope is "project", and project_name is not given.${why}`, {
      remedy: 'Give project_name, or ask for scope = "account".',
    });
  }
  assertName("OS_PROJECT_NAME", environmentProject);
  return { kind: "project", projectName: environmentProject };
}
