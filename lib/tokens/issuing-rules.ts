/**
 * What the permission of a service user covers: its access area, and with Projects which projects
 * are chosen.
 */
export type PermissionArea =
  | { readonly area: "account" }
  | { readonly area: "projects"; readonly projects: readonly string[] };

/** Which token is asked for. */
type AskedScope =
  | { readonly area: "account" }
  | { readonly area: "project"; readonly project: string };

/**
 * The rules by which IAM tokens are issued, in the spec's words.
 *
 * @see spec, "Issue an IAM token", rules 1 and 2
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
 * @see spec, "Issue an IAM token", rules 1 and 2
 */
export function canBeIssued(asked: AskedScope, permission: PermissionArea): boolean {
  if (permission.area === "account") return true;
  return asked.area === "project" && permission.projects.includes(asked.project);
}
