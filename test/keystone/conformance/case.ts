import type { ServiceHands } from "./service-hands";

/**
 * Needs of a case in addition to a user that may be issued tokens. A service of which something is
 * not there is not asked those cases: - `users`: the users of identity-under-test.ts, with their
 * permissions; - `administrator`: users are changed; - `failed_login`: a wrong password of a user
 * that exists, which may lock it; - `revocation`: a token is revoked, or somebody is refused to; -
 * `project`: a project that the user may be issued tokens for; - `deployment`: what stands around
 * Keystone (its mount, the limit of a body, the server) is as in test/keystone/server; -
 * `federation`: identity tokens are accepted.
 */
export type Need =
  | "users"
  | "administrator"
  | "failed_login"
  | "revocation"
  | "project"
  | "deployment"
  | "federation";

/**
 * One behaviour of Keystone, tried on whichever service it is. Cases run side by side: a user that
 * one of them changes is that case's own.
 */
export interface ConformanceCase {
  readonly name: string;
  readonly needs?: readonly Need[];
  /** It waits for seconds of real time: the others need not wait for it. */
  readonly waits?: true;
  readonly run: (service: ServiceHands) => Promise<void>;
}

/** Cases that belong together. */
export interface ConformanceGroup {
  readonly name: string;
  readonly cases: readonly ConformanceCase[];
}
