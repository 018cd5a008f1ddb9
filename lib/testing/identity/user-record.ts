import { createHash, timingSafeEqual } from "node:crypto";
import { Secret } from "../../tokens";
import type { ServiceSettings, ServiceUserSettings } from "../config/settings";

/** An account, as token bodies show it. */
export interface Account {
  readonly id: string;
  /** The account number: Keystone's domain name. */
  readonly name: string;
}

/** Failed logins after which a user is locked, and for how long. */
type Lockout = ServiceSettings["lockout"];

/** What a login comes to. */
export type LoginOutcome =
  | "accepted"
  | "wrong_password"
  | "user_locked"
  | "user_disabled"
  | "password_expired"
  | "server_error";

/** A user, with password, failures, and whether it may sign in, which change meanwhile. */
export class UserRecord {
  readonly id: string;
  readonly name: string;
  readonly account: Account;
  readonly isServiceUser: boolean;
  readonly permission: ServiceUserSettings["permission"];
  readonly defaultProject: string | undefined;
  /** Every password that it ever had, to keep them out of the journal. */
  readonly passwords: Secret[];
  readonly #neverLocked: boolean;
  #enabled: boolean;
  #passwordExpiresAt: number | undefined;
  #failures = 0;
  #failedAt = 0;
  /** Tokens of this second, or older, are dead. */
  #deadUntil = Number.NEGATIVE_INFINITY;

  constructor(
    id: string,
    account: Account,
    settings: ServiceUserSettings & { readonly isServiceUser: boolean },
  ) {
    this.id = id;
    this.name = settings.name;
    this.account = account;
    this.isServiceUser = settings.isServiceUser;
    this.permission = settings.permission;
    this.defaultProject = settings.defaultProject;
    this.passwords = [settings.password];
    this.#neverLocked = settings.neverLocked;
    this.#enabled = settings.enabled;
    this.#passwordExpiresAt = settings.passwordExpiresAt;
  }

  /** Milliseconds since 1970; undefined: never. */
  get passwordExpiresAt(): number | undefined {
    return this.#passwordExpiresAt;
  }

  /** Checks a password, in Keystone's order; a wrong one counts towards the lockout. */
  logIn(password: string | undefined, now: number, lockout: Lockout): LoginOutcome {
    // Keystone looks at it before the password: a disabled user is never locked.
    if (!this.#enabled) return "user_disabled";
    if (this.isLocked(now, lockout)) return "user_locked";
    // Keystone's hash takes no NUL, and its database no half of a surrogate pair.
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

  isLocked(now: number, lockout: Lockout): boolean {
    if (lockout === undefined || this.#neverLocked || this.#failures < lockout.failures)
      return false;
    if (lockout.seconds === 0 || now < this.#failedAt + lockout.seconds * 1000) return true;
    this.#failures = 0;
    return false;
  }

  unlock(): void {
    this.#failures = 0;
  }

  /** The tokens of until now are dead afterwards, those of the same second too. */
  changePassword(password: string, now: number, expiresAt?: number): void {
    this.passwords.push(Secret.of(password));
    this.#passwordExpiresAt = expiresAt;
    this.#failures = 0;
    this.#endTokens(now);
  }

  expirePassword(at: number): void {
    this.#passwordExpiresAt = at;
  }

  /** Tokens do not come back when a user is enabled again. */
  setEnabled(enabled: boolean, now: number): void {
    this.#enabled = enabled;
    if (!enabled) this.#endTokens(now);
  }

  /**
   * Whether a token that was issued at a time, in whole seconds, has survived what was done to the
   * user.
   */
  acceptsTokenOf(issuedAt: number): boolean {
    return this.#enabled && issuedAt > this.#deadUntil;
  }

  #endTokens(now: number): void {
    this.#deadUntil = Math.floor(now / 1000) * 1000;
  }

  #isPassword(given: string): boolean {
    const current = this.passwords.at(-1);
    return current !== undefined && timingSafeEqual(digest(current.reveal()), digest(given));
  }
}

/** Keystone's hash reads 72 bytes, and no more. */
const HASHED_BYTES = 72;

function digest(password: string): Buffer {
  return createHash("sha256").update(Buffer.from(password).subarray(0, HASHED_BYTES)).digest();
}
