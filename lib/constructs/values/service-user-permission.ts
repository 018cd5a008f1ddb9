import { canBeIssued, ISSUING_RULES, type PermissionArea } from "../../tokens";
import { isCdkToken, isExpression } from "../props/expression";
import type { Mistakes } from "../props/mistakes";
import { shown } from "../props/shown";
import { checkName } from "../props/texts";
import type { TokenScope } from "./token-scope";

const BRAND = Symbol.for("cdktf-iam-tokens/ServiceUserPermission");

/**
 * What the permission of a service user covers, as the control panel shows it: the access area
 * Account, or the access area Projects with projects chosen. Declaring it changes nothing at the
 * service; tokens that it does not allow are refused when the program is synthesized.
 *
 * @see spec, "Issue an IAM token", rules 1 and 2
 * @example
 * ServiceUserPermission.projects("web", "shop")
 */
export class ServiceUserPermission {
  /** The access area Account: tokens of the account and of each of its projects. */
  static account(): ServiceUserPermission {
    return new ServiceUserPermission({ area: "account" });
  }

  /**
   * The access area Projects: tokens of the chosen projects, and none of the account.
   *
   * @param names of the projects that are chosen; where one is a Terraform expression, it may be
   * any project
   */
  static projects(...names: string[]): ServiceUserPermission {
    return new ServiceUserPermission({ area: "projects", projects: names });
  }

  /**
   * What it covers, or undefined for anything that is not a permission. By a brand and not by
   * instanceof. @internal
   */
  static _areaOf(value: unknown): PermissionArea | undefined {
    return typeof value === "object" && value !== null && BRAND in value
      ? (value as unknown as ServiceUserPermission).area
      : undefined;
  }

  private readonly area: PermissionArea;

  private constructor(area: PermissionArea) {
    this.area = area;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

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
