import type { PermissionArea } from "../tokens";

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
