/** An account, as token bodies show it. */
export interface Account {
  readonly id: string;
  /** The account number: Keystone's domain name. */
  readonly name: string;
}

/** A project of an account. */
export interface Project {
  readonly id: string;
  readonly name: string;
  readonly account: Account;
}

/** A user of an account. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly account: Account;
  readonly isServiceUser: boolean;
}
