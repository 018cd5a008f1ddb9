/**
 * Coverage of a service user's permission: its access area and, for Projects, the selected
 * projects.
 */
export type PermissionArea =
  | { readonly area: "account" }
  | { readonly area: "projects"; readonly projects: readonly string[] };

/** The requested token. */
type AskedScope =
  | { readonly area: "account" }
  | { readonly area: "project"; readonly project: string };

/**
 * The rules by which IAM tokens are issued, in the words of the service's specification.
 *
 * @see docs/guard-rails.md
 */
export const ISSUING_RULES = {
  account:
    "When the service user's permission has the access area Account selected, then an account-scoped token can be issued.",
  project:
    "When the service user's permission has the access area Account selected, or has the access area Projects selected with the " +
    "requested project chosen, then a project-scoped token can be issued.",
} as const;

/**
 * Whether a token can be issued to a service user of this permission.
 *
 * @example canBeIssued({ area: "project", project: "web" }, { area: "projects", projects: ["web"]
 * }) // true
 * @see docs/guard-rails.md
 */
export function canBeIssued(asked: AskedScope, permission: PermissionArea): boolean {
  if (permission.area === "account") return true;
  return asked.area === "project" && permission.projects.includes(asked.project);
}
