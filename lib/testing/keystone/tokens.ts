import { randomBytes } from "node:crypto";
import { fingerprintOf, KIND_OF_SCOPE, Secret } from "../../tokens";
import type { TokenDescription } from "../config/identity-config";
import type { ServedAnswer } from "../intercept";
import { type ApplicationCredential, idOf, type TokenOwner } from "./directory";
import { keystoneAnswer } from "./http";
import type { Noted, RequestedScope } from "./journal";

/** A token that was issued. */
export interface IssuedRecord {
  readonly token: string;
  readonly owner: TokenOwner;
  readonly scope: RequestedScope;
  readonly method: string;
  /** By which it was issued. */
  readonly credential?: ApplicationCredential;
  /** Milliseconds since 1970, rounded down to seconds as in Keystone. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly fingerprint: string;
}

/** How a token is issued. */
export type Wanted = Pick<IssuedRecord, "owner" | "scope" | "method" | "credential"> & {
  /** It does not live longer than this, in milliseconds since 1970. */
  readonly endsAt?: number | undefined;
};

export type Tokens = ReturnType<typeof createTokens>;

/** The tokens of one identity service: issued, validated against the clock, revoked. */
export function createTokens(lifetimeSeconds: number, now: () => number) {
  const issued = new Map<string, IssuedRecord>();
  const revoked = new Set<string>();

  function find(token: string) {
    const record = issued.get(token);
    if (record === undefined) return { status: "unknown", record } as const;
    if (revoked.has(token) || !record.owner.acceptsTokenOf(record.issuedAt))
      return { status: "revoked", record } as const;
    return { status: now() < record.expiresAt ? "valid" : "expired", record } as const;
  }

  return {
    find,

    issue({ endsAt = Number.POSITIVE_INFINITY, ...wanted }: Wanted): IssuedRecord {
      const second = Math.floor(now() / 1000);
      const latest = Math.min((second + lifetimeSeconds) * 1000, endsAt);
      // The outer form of a Fernet token: version, time, and what is random here.
      const head = Buffer.alloc(9, 0);
      head[0] = 0x80;
      head.writeUInt32BE(second, 5);
      const token = Buffer.concat([head, randomBytes(128)]).toString("base64url");
      const fingerprint = fingerprintOf(Secret.of(token));
      const expiresAt = Math.floor(latest / 1000) * 1000;
      const record = { ...wanted, token, issuedAt: second * 1000, expiresAt, fingerprint };
      issued.set(token, record);
      return record;
    },

    describe(token: string): TokenDescription {
      const { status, record } = find(token);
      if (status === "unknown") return { status };
      const { owner, scope, issuedAt, expiresAt, fingerprint } = record;
      return {
        status,
        kind: scope.kind === "none" ? null : KIND_OF_SCOPE[scope.kind],
        user: owner.name,
        accountId: owner.account,
        project: scope.kind === "project" ? scope.project : null,
        issuedAt: new Date(issuedAt),
        expiresAt: new Date(expiresAt),
        fingerprint,
      };
    },

    /** Oldest first. */
    all: (): string[] => [...issued.keys()],
    revoke: (token: string) => void revoked.add(token),
  };
}

/**
 * The answer with a token, in Keystone's form: the service's specification does not describe it.
 */
export function tokenAnswer(
  status: 200 | 201,
  { token, owner, scope, method, credential, issuedAt, expiresAt }: IssuedRecord,
  { catalog }: { readonly catalog: readonly unknown[] | undefined },
): ServedAnswer {
  const body = {
    methods: [method],
    user: {
      domain: named(owner.domain),
      id: owner.id,
      name: owner.name,
      password_expires_at:
        owner.passwordEndsAt === undefined ? null : toKeystoneTime(owner.passwordEndsAt, ""),
    },
    issued_at: toKeystoneTime(issuedAt),
    expires_at: toKeystoneTime(expiresAt),
    ...(scope.kind === "account" && { domain: named(scope.account) }),
    ...(scope.kind === "project" && {
      project: { domain: named(scope.account), ...named(scope.project, scope.account) },
    }),
    ...(scope.kind !== "none" && {
      roles: ["reader", "member"].map((role) => named(role)),
      catalog,
    }),
    ...(credential && { application_credential: { id: credential.id, name: credential.name } }),
  };
  return keystoneAnswer(status, { token: body }, [["X-Subject-Token", token]]);
}

const named = (name: string, ...inside: readonly string[]) => ({ id: idOf(name, ...inside), name });

/** Journal fields of a token. */
export function describe(record: IssuedRecord | undefined): Noted {
  if (record === undefined) return {};
  const { owner, scope, fingerprint } = record;
  return { user: owner.name, account: owner.account, scope, fingerprint };
}

/** In Keystone's form: six digits of a second, which are always zero; some have no zone. */
function toKeystoneTime(milliseconds: number, zone = "Z"): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, `.000000${zone}`);
}
