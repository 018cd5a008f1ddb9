import { toCatalog } from "./catalog";
import type { GrantedScope } from "./directory";
import type { IdentityRequest, IdentityState } from "./exchange";
import type { IssuedRecord } from "./token-register";

const ROLES = [
  { id: "f362837de135441d8d0fb1e5a8d18aa2", name: "reader" },
  { id: "a996c9a31aae44ffa4c6c771a3c7dd04", name: "member" },
] as const;
/** The role that may validate other users' tokens. */
const SERVICE_ROLE = { id: "0c5d83d5cb8c4c36a1a4a9a4fb1c5e7d", name: "service" };

/**
 * The body for an issued or validated token, in Keystone's form. The service's specification does
 * not describe it.
 */
export function toTokenBody(
  { owner, scope, ...record }: IssuedRecord,
  request: IdentityRequest,
  state: IdentityState,
): object {
  const scoped = scope.kind !== "none";
  const withCatalog = scoped && !new URLSearchParams(request.query).has("nocatalog");
  const roles = owner.settings.mayValidate ? [SERVICE_ROLE, ...ROLES] : ROLES;
  return {
    token: {
      methods: record.methods,
      user: {
        domain: owner.account,
        id: owner.id,
        name: owner.name,
        // Without a zone, unlike the other times.
        password_expires_at:
          owner.passwordExpiresAt === undefined
            ? null
            : toKeystoneTime(owner.passwordExpiresAt).replace(/Z$/, ""),
      },
      audit_ids: record.auditIds,
      expires_at: toKeystoneTime(record.expiresAt),
      issued_at: toKeystoneTime(record.issuedAt),
      ...scopeMember(scope),
      ...(scoped ? { roles } : {}),
      ...(withCatalog ? { catalog: toCatalog(state.catalog, { owner, scope }, request) } : {}),
    },
  };
}

function scopeMember(scope: GrantedScope): object {
  switch (scope.kind) {
    case "account":
      return { domain: scope.account };
    case "project":
      return {
        project: { domain: scope.project.account, id: scope.project.id, name: scope.project.name },
        is_domain: false,
      };
    case "none":
      return {};
  }
}

/** Six digits of a second, which are always zero. */
function toKeystoneTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, ".000000Z");
}
