import type { PermissionArea } from "../../tokens";
import { canBeIssued, ISSUING_RULES } from "../../tokens";
import { ServiceUserPermission } from "../service-user-permission";
import type { TokenScope } from "../token-scope";
import { isCdkToken, isExpression } from "./expression";
import type { Mistakes } from "./mistakes";
import { shown } from "./shown";
import { checkName } from "./texts";

/** The permission that a user declared; undefined when none was, or a wrong one. */
export function checkPermission(value: unknown, mistakes: Mistakes): PermissionArea | undefined {
  if (value === undefined) return undefined;
  const permission = ServiceUserPermission._areaOf(value);
  const allowed = 'ServiceUserPermission.account(), ServiceUserPermission.projects("name", …)';
  if (permission === undefined)
    mistakes.add("ERR_PROP_INVALID", `permission is ${shown(value)}.`, { allowed });
  if (permission?.area !== "projects") return permission;
  if (permission.projects.length === 0) {
    mistakes.add(
      "ERR_PROP_INVALID",
      "permission is ServiceUserPermission.projects of no project.",
      { allowed },
    );
  }
  for (const name of permission.projects) checkName("A project of permission", name, mistakes);
  return permission;
}

/**
 * Refuses a token that the service will not issue under the permission that was declared. An
 * unknown project is passed over.
 */
export function checkIssuing(
  scope: TokenScope | undefined,
  permission: PermissionArea | undefined,
  mistakes: Mistakes,
): void {
  if (scope === undefined || permission === undefined) return;
  const project = scope.projectName;
  const unknown =
    project !== undefined &&
    permission.area === "projects" &&
    [project, ...permission.projects].some((name) => isExpression(name) || isCdkToken(name));
  if (
    unknown ||
    canBeIssued(
      project === undefined ? { area: "account" } : { area: "project", project },
      permission,
    )
  )
    return;
  const wanted = project === undefined ? "account" : `project ${shown(project)}`;
  const chosen = permission.area === "projects" ? permission.projects.map(shown).join(", ") : "";
  mistakes.add(
    "ERR_PERMISSION_INSUFFICIENT",
    `A token of the ${wanted} cannot be issued: the declared permission of the service user is the access area Projects (${chosen}). ` +
      `The service's rule: "${ISSUING_RULES[project === undefined ? "account" : "project"]}"`,
  );
}
