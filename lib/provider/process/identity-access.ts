import type { IdentityClient, IdentityClientOptions } from "../../identity";
import type { Log } from "../../plugin/provider";
import { loadIdentity } from "./load-part";
import type { ProcessContext } from "./process-context";

/** The used part of the identity client. */
export type IdentityPort = Pick<
  IdentityClient,
  "obtain" | "issueOwn" | "revoke" | "validate" | "discover" | "requestIdentityToken" | "close"
>;

/**
 * The only identity client of the process: because of its cache, a hundred references make one
 * request.
 */
export interface IdentityAccess {
  /** The client. The first call creates it. */
  client(log: Log): IdentityPort;
  /** Closes the client, if there is one. */
  close(): Promise<void>;
}

/**
 * Creates the client from the inputs of the process.
 *
 * @param more further options, when it is created
 */
export function createIdentityAccess(
  processContext: ProcessContext,
  more: () => Partial<IdentityClientOptions> = () => ({}),
): IdentityAccess {
  let client: IdentityClient | undefined;
  return {
    client(log) {
      client ??= new (loadIdentity().IdentityClient)({
        // It needs to know proxies and trusted CAs, but no other variable, least of all a password.
        env: Object.fromEntries(
          Object.entries(processContext.variables).filter(([name]) =>
            /^((https|no)_proxy|IAM_TOKENS_EXTRA_CA_CERTS|SSL_CERT_FILE|NODE_USE_SYSTEM_CA)$/i.test(
              name,
            ),
          ),
        ),
        log,
        ...more(),
      });
      return client;
    },
    async close() {
      await client?.close();
      client = undefined;
    },
  };
}
