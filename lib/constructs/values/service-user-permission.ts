import { canBeIssued, ISSUING_RULES, type PermissionArea } from "../../tokens";
import { Brand } from "../../tokens/brand";
import type { Mistakes } from "./checks";
import { checkName, isCdkToken, isExpression, quoted } from "./checks";
import type { TokenScope } from "./token";

const BRAND = new Brand<ServiceUserPermission>("ServiceUserPermission");

/**
 * Coverage of a service user's permission, as in the control panel: the access area Account, or the
 * access area Projects with selected projects. The declaration changes nothing in the service;
 * synthesis refuses tokens that it does not cover (ERR_PERMISSION_INSUFFICIENT). `projects`
 * without a name gives ERR_PROP_INVALID, with a wrong one ERR_NAME_INVALID.
 *
 * @see docs/guard-rails.md
 * @example
 * ServiceUserPermission.projects("web", "shop");
 */
export class ServiceUserPermission {
  /** The access area Account: tokens for the account and for each of its projects. */
  static account(): ServiceUserPermission {
    return new ServiceUserPermission({ area: "account" });
  }

  /**
   * The access area Projects: tokens for the selected projects, and none for the account.
   *
   * @param names names of the selected projects; a Terraform expression may be any project
   */
  static projects(...names: string[]): ServiceUserPermission {
    return new ServiceUserPermission({ area: "projects", projects: names });
  }

  /**
   * Its coverage; undefined for anything that is not a permission. @internal
   */
  static _areaOf(value: unknown): PermissionArea | undefined {
    return BRAND.isOn(value) ? value.area : undefined;
  }

  private readonly area: PermissionArea;

  private constructor(area: PermissionArea) {
    this.area = area;
    BRAND.putOn(this);
  }
}

/** The permission that a user declared; undefined if there is none, or a wrong one. */
export function checkPermission(value: unknown, mistakes: Mistakes): PermissionArea | undefined {
  if (value === undefined) return undefined;
  const permission = ServiceUserPermission._areaOf(value);
  const allowed = 'ServiceUserPermission.account(), ServiceUserPermission.projects("name", …)';
  if (permission === undefined)
    mistakes.add("ERR_PROP_INVALID", `permission is ${quoted(value)}.`, { allowed });
  if (permission?.area !== "projects") return permission;
  if (permission.projects.length === 0) {
    mistakes.add(
      "ERR_PROP_INVALID",
      "permission is ServiceUserPermission.projects without a project.",
      { allowed },
    );
  }
  for (const name of permission.projects) checkName("A project of permission", name, mistakes);
  return permission;
}

/**
 * Refuses a token that the service will not issue under the declared permission. A project that
 * only Terraform knows passes.
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
  const wanted = project === undefined ? "account" : `project ${quoted(project)}`;
  const chosen = permission.area === "projects" ? permission.projects.map(quoted).join(", ") : "";
  mistakes.add(
    "ERR_PERMISSION_INSUFFICIENT",
    `A token for the ${wanted} cannot be issued: the service user's declared permission is the access area Projects (${chosen}). ` +
      `The service's rule: "${ISSUING_RULES[project === undefined ? "account" : "project"]}"`,
  );
}
