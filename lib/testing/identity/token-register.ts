import { fingerprintOf, Secret } from "../../tokens";
import type { ApplicationCredential } from "./application-credentials";
import type { GrantedScope } from "./directory";
import type { TokenOwner } from "./embedded-user";

/** A token that was issued, with the content of its body. */
export interface IssuedRecord {
  readonly owner: TokenOwner;
  /** By which it was issued. */
  readonly credential?: ApplicationCredential;
  readonly scope: GrantedScope;
  /** How its owner signed in; for a token in exchange for another, including that one's methods. */
  readonly methods: readonly string[];
  /** Its own id, and that of the first token of a chain. */
  readonly auditIds: readonly string[];
  /** Milliseconds since 1970, rounded down to seconds as in Keystone. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly fingerprint: string;
}

/** Whether a token can be used. */
export type TokenStatus = "valid" | "expired" | "revoked" | "unknown";

/** Sources of time and randomness. */
interface TokenRegisterOptions {
  readonly now: () => number;
  readonly random: (size: number) => Buffer;
  readonly lifetimeSeconds: number;
}

/** Older expired or revoked tokens may be forgotten: a server may run for days. */
const KEPT_DEAD = 10_000;

/** The tokens of one identity service: issued, validated against the clock, revoked. */
export class TokenRegister {
  readonly #options: TokenRegisterOptions;
  readonly #issued = new Map<string, IssuedRecord>();
  readonly #revoked = new Set<string>();
  #sweepAt = 2 * KEPT_DEAD;

  constructor(options: TokenRegisterOptions) {
    this.#options = options;
  }

  /**
   * @param from the token in exchange for which it is issued: it does not live longer than that
   * one, or than the credential
   */
  issue(
    owner: TokenOwner,
    scope: GrantedScope,
    methods: readonly string[],
    { from, credential }: { from?: IssuedRecord; credential?: ApplicationCredential } = {},
  ): { readonly token: string; readonly record: IssuedRecord } {
    const issuedAt = Math.floor(this.#options.now() / 1000) * 1000;
    const expiresAt = issuedAt + this.#options.lifetimeSeconds * 1000;
    const isFederated = owner.federation !== undefined;
    const more = isFederated ? 80 : from === undefined && credential === undefined ? 0 : 16;
    const token = this.fernetLooking(issuedAt, (scope.kind === "none" ? 64 : 80) + more);
    const chain = isFederated ? undefined : from?.auditIds.at(-1);
    const record: IssuedRecord = {
      owner,
      scope,
      methods: from === undefined ? methods : [...new Set(["token", ...methods, ...from.methods])],
      auditIds: [
        this.#options.random(16).toString("base64url"),
        ...(chain === undefined ? [] : [chain]),
      ],
      issuedAt,
      ...(credential === undefined ? {} : { credential }),
      expiresAt: Math.min(
        expiresAt,
        from?.expiresAt ?? expiresAt,
        Math.floor((credential?.expiresAt ?? expiresAt) / 1000) * 1000,
      ),
      fingerprint: fingerprintOf(Secret.of(token)),
    };
    this.#issued.set(token, record);
    if (this.#issued.size >= this.#sweepAt) this.#forgetDead();
    return { token, record };
  }

  find(token: string): { readonly status: TokenStatus; readonly record: IssuedRecord | undefined } {
    const record = this.#issued.get(token);
    if (record === undefined) return { status: "unknown", record };
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

  #forgetDead(): void {
    const dead = this.all().filter((token) => this.find(token).status !== "valid");
    for (const token of dead.slice(0, -KEPT_DEAD)) {
      this.#issued.delete(token);
      this.#revoked.delete(token);
    }
    // Looking at all of them again only when they have doubled costs little for each.
    this.#sweepAt = 2 * Math.max(KEPT_DEAD, this.#issued.size);
  }

  /**
   * The outer form of a Fernet token (version, time, IV, ciphertext, HMAC; no padding), filled with
   * random bytes.
   */
  fernetLooking(milliseconds: number, ciphertextBytes: number): string {
    const head = Buffer.alloc(9);
    head[0] = 0x80;
    head.writeBigUInt64BE(BigInt(milliseconds / 1000), 1);
    return Buffer.concat([head, this.#options.random(16 + ciphertextBytes + 32)]).toString(
      "base64url",
    );
  }
}
