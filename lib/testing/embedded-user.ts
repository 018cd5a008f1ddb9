import type { UserRecord } from "./identity/user-record";

/** What an administrator does to a user while the identity service runs. */
export class EmbeddedUser {
  readonly #record: UserRecord;
  readonly #isLocked: () => boolean;
  readonly #now: () => number;

  /** @internal */
  constructor(record: UserRecord, isLocked: () => boolean, now: () => number) {
    this.#record = record;
    this.#isLocked = isLocked;
    this.#now = now;
  }

  get name(): string {
    return this.#record.name;
  }

  /** Keystone's id of the user, the same at each start. */
  get id(): string {
    return this.#record.id;
  }

  /** Whether too many wrong passwords were sent. */
  get isLocked(): boolean {
    return this.#isLocked();
  }

  /**
   * Every token of the user is dead afterwards, also those that are issued in the same second with
   * the new password.
   */
  changePassword(password: string): void {
    this.#record.changePassword(password, this.#now());
  }

  /** From now on the password is refused with a 401 that says so. Tokens stay valid. */
  expirePassword(): void {
    this.#record.expirePassword(this.#now());
  }

  /** The user cannot sign in, and every token of it is dead. */
  disable(): void {
    this.#record.setEnabled(false, this.#now());
  }

  /** The user can sign in again. Its old tokens stay dead. */
  enable(): void {
    this.#record.setEnabled(true, this.#now());
  }

  /** Forgets the wrong passwords. */
  unlock(): void {
    this.#record.unlock();
  }
}
