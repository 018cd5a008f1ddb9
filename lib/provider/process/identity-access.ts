import type { IdentityClient, IdentityClientOptions } from "../../identity";
import type { Log } from "../../plugin/provider";
import { defined } from "../../tokens";
import { loadIdentity } from "./load-identity";
import { type Surroundings, variableOf } from "./surroundings";

/** What is used of the identity client. */
export type IdentityPort = Pick<IdentityClient, "obtain" | "issueOwn" | "revoke" | "close">;

/** The one identity client of the process: its cache makes a hundred references one request. */
export interface IdentityAccess {
  /** The client; made by the first call. */
  client(log: Log): Promise<IdentityPort>;
  /** Closes the client if there is one. */
  close(): Promise<void>;
}

/** Makes the client from what this process was started with. */
export function createIdentityAccess(
  surroundings: Surroundings,
  create: (options: IdentityClientOptions) => IdentityPort = (options) =>
    new (loadIdentity().IdentityClient)(options),
): IdentityAccess {
  let client: IdentityPort | undefined;
  return {
    async client(log) {
      client ??= create(optionsOf(surroundings, log));
      return client;
    },
    async close() {
      await client?.close();
      client = undefined;
    },
  };
}

function optionsOf(surroundings: Surroundings, log: Log): IdentityClientOptions {
  const extraCaFile = variableOf(surroundings, "IAM_TOKENS_EXTRA_CA_CERTS");
  return {
    // The client needs to know proxies, and no other variable: least of all a password.
    env: Object.fromEntries(
      Object.entries(surroundings.variables).filter(([name]) =>
        /^(https?|no|all)_proxy$/i.test(name),
      ),
    ),
    log,
    ...defined({ extraCaFile }),
  };
}
