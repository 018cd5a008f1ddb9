import type { ApplicationCredential } from "./application-credentials";
import { toCatalog } from "./catalog";
import type { GrantedScope } from "./directory";
import type { TokenOwner } from "./embedded-user";
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
  { owner, scope, credential, ...record }: IssuedRecord,
  request: IdentityRequest,
  state: IdentityState,
): object {
  const scoped = scope.kind !== "none";
  const withCatalog = scoped && !new URLSearchParams(request.query).has("nocatalog");
  const roles = owner.federation === undefined ? rolesOf(owner) : rolesInFull(owner);
  const end = toKeystoneTime(record.expiresAt);
  // The end of a credential is repeated as it stands there: without a zone and a fraction.
  const isCredentialsEnd = request.method === "POST" && record.expiresAt === credential?.expiresAt;
  return {
    token: {
      methods: record.methods,
      user: userMember(owner),
      audit_ids: record.auditIds,
      expires_at: isCredentialsEnd ? end.slice(0, end.indexOf(".")) : end,
      issued_at: toKeystoneTime(record.issuedAt),
      ...scopeMember(scope),
      ...(scoped ? { roles } : {}),
      ...(withCatalog ? { catalog: toCatalog(state.catalog, { owner, scope }, request) } : {}),
      ...(credential === undefined ? {} : { application_credential: credentialMember(credential) }),
    },
  };
}

/** The roles of a user, by which Keystone decides what a token permits. */
function rolesOf({ settings }: TokenOwner): readonly object[] {
  return settings.mayValidate ? [SERVICE_ROLE, ...ROLES] : ROLES;
}

/** With all members, which Keystone has forgotten to leave out in some answers. */
function rolesInFull(owner: TokenOwner): readonly object[] {
  const more = { domain_id: null, description: null, options: { immutable: true } };
  return rolesOf(owner).map((role) => ({ ...role, ...more }));
}

function userMember({ account, federation, id, name, passwordExpiresAt: end }: TokenOwner): object {
  if (federation === undefined) {
    // Without a zone, unlike the other times.
    const password_expires_at = end === undefined ? null : toKeystoneTime(end).replace(/Z$/, "");
    return { domain: account, id, name, password_expires_at };
  }
  const { domain, group, id: provider, protocol } = federation;
  const vouched = {
    groups: [{ id: group }],
    identity_provider: { id: provider },
    protocol: { id: protocol },
  };
  return { domain, id, name, "OS-FEDERATION": vouched };
}

function credentialMember({ id, name, unrestricted }: ApplicationCredential): object {
  return { id, name, restricted: !unrestricted };
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

/** In Keystone's form: six digits of a second, which are always zero. */
export function toKeystoneTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, ".000000Z");
}
