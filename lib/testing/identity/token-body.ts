import { MOUNT } from "./answers";
import type { GrantedScope } from "./directory";
import type { IdentityRequest } from "./exchange";
import type { IssuedRecord } from "./token-register";

const ROLES = [
  { id: "f362837de135441d8d0fb1e5a8d18aa2", name: "reader" },
  { id: "a996c9a31aae44ffa4c6c771a3c7dd04", name: "member" },
] as const;

/**
 * The body for an issued or validated token, in Keystone's form. The service's specification does
 * not describe it.
 */
export function toTokenBody(
  { owner, scope, ...record }: IssuedRecord,
  { origin, query }: IdentityRequest,
): object {
  const scoped = scope.kind !== "none";
  const withCatalog = scoped && !new URLSearchParams(query).has("nocatalog");
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
      ...(scoped ? { roles: ROLES } : {}),
      ...(withCatalog ? { catalog: [toCatalogEntry(`${origin}${MOUNT}/v3`)] } : {}),
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

function toCatalogEntry(url: string): object {
  const endpoint = { region_id: "RegionOne", url, region: "RegionOne" };
  return {
    endpoints: [
      { id: "ae7aebf094bd49bd8e43be03067ef9c9", interface: "public", ...endpoint },
      { id: "66a3216e26bd46928ff744d85c985dbf", interface: "internal", ...endpoint },
      { id: "9e3b0de628d847c19854b153dfb6c8d8", interface: "admin", ...endpoint },
    ],
    id: "15d1d17b0c3048729bfa48eeea9f64d0",
    type: "identity",
    name: "keystone",
  };
}
