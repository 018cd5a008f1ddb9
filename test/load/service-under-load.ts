import { EmbeddedIdentityService, type Intercept } from "../../lib/testing";
import type { UserName } from "../keystone/identity-under-test";
import { startRealKeystone } from "../keystone/real-keystone";
import { CountingRelay } from "./counting-relay";

/** A service user, with the tokens to request. */
export interface LoadCredential {
  readonly user: string;
  readonly password: string;
  /** A project token; else an account token. */
  readonly project?: string;
}

/** A service that counts its connections, with credentials that are good there. */
export interface ServiceUnderLoad {
  readonly authUrl: string;
  readonly accountId: string;
  readonly credentials: readonly LoadCredential[];
  readonly relay: CountingRelay;
  /** Of the embedded service only. */
  readonly identity?: EmbeddedIdentityService;
  stop(): Promise<void>;
}

interface Wanted {
  readonly credentials: number;
  /**
   * `users`: each with its own service user. `projects`: one service user, each with its own
   * project.
   */
  readonly distinct: "users" | "projects";
  readonly intercept?: Intercept;
  readonly now?: () => number;
}

export const numbers = (count: number): number[] =>
  Array.from({ length: count }, (_none, index) => index);

export async function embeddedUnderLoad({
  credentials: count,
  distinct,
  now = Date.now,
  intercept = (_request, serve) => serve(),
}: Wanted): Promise<ServiceUnderLoad> {
  const credentials = numbers(count).map(
    (index): LoadCredential =>
      distinct === "users"
        ? { user: `user-${index}`, password: `load-password-${index}` }
        : { user: "user", password: "load-password", project: `project-${index}` },
  );
  const identity = await EmbeddedIdentityService.start(
    {
      accountId: "123456",
      serviceUsers:
        distinct === "users"
          ? credentials.map(({ user, password }) => ({
              name: user,
              password,
              permission: { account: true },
            }))
          : [
              {
                name: "user",
                password: "load-password",
                permission: { projects: numbers(count).map((index) => `project-${index}`) },
              },
            ],
    },
    { now, intercept },
  );
  const relay = await CountingRelay.start(identity.port);
  return {
    authUrl: `http://127.0.0.1:${relay.port}`,
    accountId: "123456",
    credentials,
    relay,
    identity,
    async stop() {
      await relay.close();
      await identity.stop();
    },
  };
}

/** A service that answers only so many requests per second; others get a 429. */
export function rateLimit(perSecond: number, now: () => number = Date.now) {
  const limit = { refused: 0, intercept };
  let [second, seen] = [0, 0];
  function intercept(...[, serve]: Parameters<Intercept>): ReturnType<Intercept> {
    const present = Math.floor(now() / 1000);
    seen = present === second ? seen + 1 : 1;
    second = present;
    if (seen <= perSecond) return serve();
    limit.refused += 1;
    return { status: 429, headers: [["Retry-After", "1"]] };
  }
  return limit;
}

/** A real Keystone, with so many service users. */
export async function keystoneUnderLoad(count: number): Promise<ServiceUnderLoad> {
  const keystone = await startRealKeystone({ moreUsers: count });
  const relay = await CountingRelay.start(Number(new URL(keystone.authUrl).port));
  return {
    authUrl: `http://127.0.0.1:${relay.port}`,
    accountId: keystone.accountId,
    credentials: numbers(count).map((index) => ({
      user: `more-${index}`,
      password: keystone.passwordOf(`more-${index}` as UserName),
    })),
    relay,
    async stop() {
      await relay.close();
      await keystone.stop();
    },
  };
}
