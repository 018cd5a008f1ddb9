import {
  assertName,
  Brand,
  canBeIssued,
  IamTokensError,
  ISSUING_RULES,
  type PermissionArea,
} from "../../tokens";
import { isExpression } from "./checks";
import { kind, received } from "./props";
import { TokenKind, type TokenScope } from "./token";

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
    if (names.length === 0)
      throw new IamTokensError(
        "ERR_PROP_INVALID",
        "ServiceUserPermission.projects was given no project.",
        { allowed: "names of projects" },
      );
    for (const name of names)
      if (!isExpression(name)) assertName("ServiceUserPermission.projects: a project", name);
    return new ServiceUserPermission({ area: "projects", projects: names });
  }

  /** The area, or undefined for anything that is not a ServiceUserPermission. @internal */
  static _areaOf(value: unknown): PermissionArea | undefined {
    return BRAND.isOn(value) ? value.area : undefined;
  }

  // Private: of a class without such a member, TypeScript takes anything for an instance.
  private constructor(private readonly area: PermissionArea) {
    BRAND.putOn(this);
  }
}

const BRAND = new Brand<ServiceUserPermission>("ServiceUserPermission");

export const PERMISSION = kind(
  'ServiceUserPermission.account(), ServiceUserPermission.projects("name")',
  (value) => BRAND.isOn(value),
);

/**
 * Refuses a token that the service will not issue under the declared permission. A project that
 * only Terraform or the provider knows passes, and one by its id.
 */
export function assertIssuable(
  { kind, projectName: project }: TokenScope,
  permission: ServiceUserPermission | undefined,
): void {
  const area = ServiceUserPermission._areaOf(permission);
  if (area?.area !== "projects") return;
  // By its id, or the one of the environment or the cloud.
  if (project === undefined && kind === TokenKind.IAM_TOKEN_PROJECT_SCOPED) return;
  if (project !== undefined && [project, ...area.projects].some(isExpression)) return;
  const scope =
    project === undefined
      ? ({ area: "account" } as const)
      : ({ area: "project", project } as const);
  if (canBeIssued(scope, area)) return;
  throw new IamTokensError(
    "ERR_PERMISSION_INSUFFICIENT",
    `A token for the ${scope.area}${project === undefined ? "" : ` ${received(project)}`} cannot be issued: ` +
      `the service user's declared permission is the access area Projects (${area.projects.map(received).join(", ")}). ` +
      `The service's rule: "${ISSUING_RULES[scope.area]}"`,
  );
}
