import type { IdentityClient, IdentityClientOptions, IdentityTokenRequest } from "../../identity";
import type { Log } from "../../plugin/provider";
import type { Secret } from "../../tokens";
import { loadIdentity } from "./load-identity";
import type { ProcessContext } from "./process-context";

/** The used part of the identity client. */
export type IdentityPort = Pick<
  IdentityClient,
  "obtain" | "issueOwn" | "revoke" | "validate" | "discover" | "close"
>;

/**
 * The only identity client of the process: because of its cache, a hundred references make one
 * request.
 */
export interface IdentityAccess {
  /** The client. The first call creates it. */
  client(log: Log): IdentityPort;
  /** Requests an identity token from GitHub Actions, through the client's connections. */
  requestFromGitHub(request: IdentityTokenRequest, signal: AbortSignal, log: Log): Promise<Secret>;
  /** Ends when no token that an operation has left is on its way any more. */
  settled(): Promise<void>;
  /** Closes the client, if there is one. */
  close(): Promise<void>;
}

/**
 * Creates the client from the inputs of the process.
 *
 * @param more further options
 */
export function createIdentityAccess(
  processContext: ProcessContext,
  more: Partial<IdentityClientOptions> = {},
): IdentityAccess {
  let made: IdentityClient | undefined;
  const client = (log: Log): IdentityClient => {
    made ??= new (loadIdentity(processContext).IdentityClient)({
      // It needs to know proxies and trusted CAs, but no other variable, least of all a password.
      env: Object.fromEntries(
        Object.entries(processContext.variables).filter(([name]) =>
          /^((https|no)_proxy|IAM_TOKENS_EXTRA_CA_CERTS|SSL_CERT_FILE|NODE_USE_SYSTEM_CA)$/i.test(
            name,
          ),
        ),
      ),
      log,
      ...more,
    });
    return made;
  };
  return {
    client,
    async requestFromGitHub(request, signal, log) {
      const { services, logins } = client(log).internals();
      return loadIdentity(processContext).requestFromGitHub(request, services, logins, signal);
    },
    async settled() {
      await made?.settled();
    },
    async close() {
      await made?.close();
      made = undefined;
    },
  };
}
