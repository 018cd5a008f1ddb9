import { fingerprintOf, Secret } from "../../tokens";
import type { ApplicationCredential, GrantedScope, TokenOwner } from "./directory";
import { type IdentityAnswer, jsonAnswer } from "./http";
import type { Noted, RequestedScope } from "./journal";

/** A token that was issued. */
export interface IssuedRecord {
  readonly token: string;
  readonly owner: TokenOwner;
  readonly scope: GrantedScope;
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

/** Sources of time and randomness. */
interface TokensOptions {
  readonly now: () => number;
  readonly random: (size: number) => Buffer;
  readonly lifetimeSeconds: number;
}

/** The tokens of one identity service: issued, validated against the clock, revoked. */
export class Tokens {
  readonly #options: TokensOptions;
  readonly #issued = new Map<string, IssuedRecord>();
  readonly #revoked = new Set<string>();

  constructor(options: TokensOptions) {
    this.#options = options;
  }

  issue({ endsAt = Number.POSITIVE_INFINITY, ...wanted }: Wanted): IssuedRecord {
    const { now, random, lifetimeSeconds } = this.#options;
    const issuedAt = Math.floor(now() / 1000) * 1000;
    const latest = Math.min(issuedAt + lifetimeSeconds * 1000, endsAt);
    // The outer form of a Fernet token: version, time, and what is random here.
    const head = Buffer.alloc(9, 0);
    head[0] = 0x80;
    head.writeUInt32BE(issuedAt / 1000, 5);
    const token = Buffer.concat([head, random(128)]).toString("base64url");
    const fingerprint = fingerprintOf(Secret.of(token));
    const expiresAt = Math.floor(latest / 1000) * 1000;
    const record = { ...wanted, token, issuedAt, expiresAt, fingerprint };
    this.#issued.set(token, record);
    return record;
  }

  find(
    token: string,
  ):
    | { readonly status: "valid" | "expired" | "revoked"; readonly record: IssuedRecord }
    | { readonly status: "unknown"; readonly record?: undefined } {
    const record = this.#issued.get(token);
    if (record === undefined) return { status: "unknown" };
    if (this.#revoked.has(token) || !record.owner.acceptsTokenOf(record.issuedAt))
      return { status: "revoked", record };
    return { status: this.#options.now() < record.expiresAt ? "valid" : "expired", record };
  }

  /** Oldest first. */
  all(): string[] {
    return [...this.#issued.keys()];
  }

  revoke(token: string): void {
    this.#revoked.add(token);
  }
}

const ROLES = [
  { id: "f362837de135441d8d0fb1e5a8d18aa2", name: "reader" },
  { id: "a996c9a31aae44ffa4c6c771a3c7dd04", name: "member" },
];

/** The answer with a token, in Keystone's form: the service's specification does not describe it. */
export function tokenAnswer(
  status: 200 | 201,
  record: IssuedRecord,
  { catalog }: { readonly catalog: readonly unknown[] | undefined },
): IdentityAnswer {
  const { token, owner, scope, method, credential, issuedAt, expiresAt } = record;
  const { id, name, domain } = owner;
  const isScoped = scope.kind !== "none";
  const body = {
    methods: [method],
    user: { domain, id, name },
    issued_at: toKeystoneTime(issuedAt),
    expires_at: toKeystoneTime(expiresAt),
    ...scopeMember(scope),
    ...(isScoped ? { roles: ROLES } : {}),
    ...(isScoped && catalog !== undefined ? { catalog } : {}),
    ...(credential === undefined
      ? {}
      : { application_credential: { id: credential.id, name: credential.name } }),
  };
  return jsonAnswer(status, { token: body }, describe(record), { "X-Subject-Token": token });
}

function scopeMember(scope: GrantedScope): object {
  if (scope.kind === "none") return {};
  if (scope.kind === "account") return { domain: domainOf(scope.account) };
  const { id, name, account } = scope.project;
  return { project: { domain: domainOf(account), id, name }, is_domain: false };
}

const domainOf = ({ id, name }: { readonly id: string; readonly name: string }) => ({ id, name });

/** Journal fields of a token. */
export function describe(record: IssuedRecord | undefined): Noted {
  if (record === undefined) return {};
  const { owner, scope, fingerprint } = record;
  return {
    user: owner.name,
    account: owner.account.name,
    scope: toRequested(scope),
    fingerprint,
  };
}

function toRequested(scope: GrantedScope): RequestedScope {
  if (scope.kind === "none") return scope;
  if (scope.kind === "account") return { kind: "account", account: scope.account.name };
  const { name, account } = scope.project;
  return { kind: "project", project: name, account: account.name };
}

/** In Keystone's form: six digits of a second, which are always zero. */
function toKeystoneTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, ".000000Z");
}
