import { createHash, timingSafeEqual } from "node:crypto";
import { Secret } from "../../tokens";
import type { ServiceSettings, ServiceUserSettings } from "../config/settings";

/**
 * An account, as in token bodies.
 *
 * @internal
 */
export interface Account {
  readonly id: string;
  /** The account number: Keystone's domain name. */
  readonly name: string;
}

/**
 * Rules for a user's login, apart from the user.
 *
 * @internal
 */
export interface LoginRules {
  /** Failed logins after which a user is locked, and the duration. */
  readonly lockout: ServiceSettings["lockout"];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * The result of a login.
 *
 * @internal
 */
type LoginOutcome =
  | "accepted"
  | "wrong_password"
  | "user_locked"
  | "user_disabled"
  | "password_expired"
  | "server_error";

/** Changes a user while the identity service runs. @see docs/testing.md */
export class EmbeddedUser {
  /** @internal */
  readonly account: Account;
  /** @internal The present password, the last, and former ones, to keep them out of the journal. */
  readonly passwords: Secret[];
  /** @internal */
  readonly settings: ServiceUserSettings & { readonly isServiceUser: boolean };
  readonly #id: string;
  readonly #rules: LoginRules;
  #enabled: boolean;
  #passwordExpiresAt: number | undefined;
  #failures = 0;
  #failedAt = 0;
  /** Tokens of this second, or older, are invalid. */
  #deadUntil = Number.NEGATIVE_INFINITY;

  /** @internal */
  constructor(id: string, account: Account, settings: EmbeddedUser["settings"], rules: LoginRules) {
    this.account = account;
    this.passwords = [settings.password];
    this.settings = settings;
    this.#id = id;
    this.#rules = rules;
    this.#enabled = settings.enabled;
    this.#passwordExpiresAt = settings.passwordExpiresAt;
  }

  get name(): string {
    return this.settings.name;
  }

  /** Keystone's id of the user, the same at each start. */
  get id(): string {
    return this.#id;
  }

  /** Whether the user is locked after too many wrong passwords. */
  get isLocked(): boolean {
    const { lockout, now } = this.#rules;
    if (lockout === undefined || this.settings.neverLocked || this.#failures < lockout.failures)
      return false;
    if (lockout.seconds === 0 || now() < this.#failedAt + lockout.seconds * 1000) return true;
    this.#failures = 0;
    return false;
  }

  /**
   * All tokens of the user become invalid, including those issued later in the same second with the
   * new password.
   */
  changePassword(password: string): void {
    this.passwords.push(Secret.of(password));
    this.#passwordExpiresAt = undefined;
    this.#failures = 0;
    this.#endTokens();
  }

  /**
   * From now on, the password is refused with a 401 that mentions its expiry. Tokens stay valid.
   */
  expirePassword(): void {
    this.#passwordExpiresAt = this.#rules.now();
  }

  /** The user cannot sign in, and all its tokens become invalid. */
  disable(): void {
    this.#enabled = false;
    this.#endTokens();
  }

  /** The user can sign in again. Its old tokens stay invalid. */
  enable(): void {
    this.#enabled = true;
  }

  /** Forgets the wrong passwords. */
  unlock(): void {
    this.#failures = 0;
  }

  /** @internal */
  get isEnabled(): boolean {
    return this.#enabled;
  }

  /** @internal Milliseconds since 1970; undefined: never. */
  get passwordExpiresAt(): number | undefined {
    return this.#passwordExpiresAt;
  }

  /** @internal Checks a password, in Keystone's order; a wrong one counts towards the lockout. */
  logIn(password: string | undefined): LoginOutcome {
    const now = this.#rules.now();
    // Keystone checks this before the password: a disabled user is never locked.
    if (!this.#enabled) return "user_disabled";
    if (this.isLocked) return "user_locked";
    // Keystone's hash accepts no NUL, and its database no half of a surrogate pair.
    if (password !== undefined && (password.includes("\0") || /\p{Cs}/u.test(password)))
      return "server_error";
    if (password === undefined || !this.#isPassword(password)) {
      this.#failures += 1;
      this.#failedAt = now;
      return "wrong_password";
    }
    if (this.#passwordExpiresAt !== undefined && this.#passwordExpiresAt <= now)
      return "password_expired";
    this.#failures = 0;
    return "accepted";
  }

  /**
   * @internal Whether a token that was issued at this time, in whole seconds, is still valid after
   * changes of the user.
   */
  acceptsTokenOf(issuedAt: number): boolean {
    return this.#enabled && issuedAt > this.#deadUntil;
  }

  /** Including those of the same second. */
  #endTokens(): void {
    this.#deadUntil = Math.floor(this.#rules.now() / 1000) * 1000;
  }

  #isPassword(given: string): boolean {
    const current = this.passwords.at(-1);
    return current !== undefined && timingSafeEqual(digest(current.reveal()), digest(given));
  }
}

/**
 * The owner of a token: a user of the configuration, or of an identity provider.
 *
 * @internal
 */
export interface TokenOwner
  extends Pick<EmbeddedUser, "id" | "name" | "account" | "passwordExpiresAt" | "acceptsTokenOf"> {
  readonly settings: Pick<EmbeddedUser["settings"], "permission" | "mayValidate" | "isServiceUser">;
  /** Such a user has a domain of its identity provider, and the permissions of a group. */
  readonly federation?: {
    readonly id: string;
    readonly protocol: string;
    readonly domain: Account;
    readonly group: string;
  };
}

/** Keystone's hash reads only 72 bytes. */
const HASHED_BYTES = 72;

function digest(password: string): Buffer {
  return createHash("sha256").update(Buffer.from(password).subarray(0, HASHED_BYTES)).digest();
}
