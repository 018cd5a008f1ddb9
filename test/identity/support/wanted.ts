import { inspect } from "node:util";
import { runInThisContext } from "node:vm";
import type { Credential, IssueRequest, Scope } from "../../../lib/identity";
import { type AuthUrl, IamTokensError, parseAuthUrl, Secret } from "../../../lib/tokens";

/** Obvious fakes that must turn up nowhere. */
export const PASSWORD_CANARY = "CANARY-password-3f1c";
export const TOKEN_CANARY = "CANARY-token-77aa";

export type PasswordCredential = Extract<Credential, { way: "password" }>;

export const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
export const HOUR = 3_600_000;

export const httpDate = (time: number) => new Date(time).toUTCString();

export const DOMAIN = { name: "123456" };
export const ACCOUNT: Scope = { kind: "account", account: DOMAIN };
export const project = (name: string): Scope => ({
  kind: "project",
  project: { name, domain: DOMAIN },
});

export function credentialAt(
  authUrl: AuthUrl | string,
  over: Partial<PasswordCredential> = {},
): PasswordCredential {
  return {
    way: "password",
    authUrl: typeof authUrl === "string" ? parseAuthUrl(authUrl) : authUrl,
    user: { name: "deployer", domain: DOMAIN },
    secret: Secret.of(PASSWORD_CANARY),
    ...over,
  };
}

/** A request with the password. */
export type PasswordRequest = IssueRequest & { readonly credential: PasswordCredential };

export function requestAt(
  authUrl: AuthUrl | string,
  over: Partial<PasswordRequest> = {},
): PasswordRequest {
  return { credential: credentialAt(authUrl), scope: ACCOUNT, ...over };
}

/** A promise with its ends in hand. */
export function deferred<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

export const idle = (): AbortSignal => new AbortController().signal;

/**
 * Runs with NODE_TLS_REJECT_UNAUTHORIZED in the process's own environment, of which jest gives
 * tests a copy.
 */
export async function withChecks<Value>(text: string, run: () => Promise<Value>): Promise<Value> {
  const env: NodeJS.ProcessEnv = runInThisContext("process.env");
  const before = env.NODE_TLS_REJECT_UNAUTHORIZED;
  env.NODE_TLS_REJECT_UNAUTHORIZED = text;
  try {
    return await run();
  } finally {
    if (before === undefined) delete env.NODE_TLS_REJECT_UNAUTHORIZED;
    else env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  }
}

/** Turns of the event loop until something holds. */
export async function until(holds: () => boolean): Promise<void> {
  // Before an idle connection ends by itself, and before the test is given up: an endless loop
  // would keep the process. On a busy machine the time alone proves nothing.
  const last = performance.now() + 3_000;
  for (let turns = 0; !holds(); turns++) {
    if (turns > 10_000 && performance.now() > last) throw new Error(`waited in vain for ${holds}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * The error that something fails with; fails the test when it is none of ours, or has a canary
 * anywhere in it.
 */
export async function errorOf(work: Promise<unknown> | (() => unknown)): Promise<IamTokensError> {
  let caught: unknown;
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    caught = error;
  }
  if (!IamTokensError.is(caught))
    throw new Error(`expected an IamTokensError, got ${inspect(caught)}`);
  expectNoCanary(caught);
  return caught;
}

/** Looks for the canaries in every way in which a value can be printed. */
export function expectNoCanary(
  value: unknown,
  canaries: readonly string[] = [PASSWORD_CANARY, TOKEN_CANARY],
): void {
  const texts = [
    inspect(value, { depth: 10, showHidden: true, getters: true }),
    String(value),
    JSON.stringify(value) ?? "",
  ];
  if (value instanceof Error)
    texts.push(
      value.message,
      value.stack ?? "",
      inspect(value.cause, { depth: 10, showHidden: true }),
    );
  for (const text of texts) {
    for (const canary of canaries) {
      if (text.includes(canary)) throw new Error("a canary was found in what is printed");
    }
  }
}
