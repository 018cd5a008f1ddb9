import type { Provider } from "../provider";
import { blockMethods } from "./block-methods";
import type { ServedProvider } from "./connection";
import { providerMethods } from "./provider-methods";
import { resourceMethods } from "./resource-methods";
import { Session } from "./session";

/**
 * A provider with the methods of the protocol. Apart from the server, which can answer Terraform's
 * first requests without it.
 */
export function serveProvider<Configured>(provider: Provider<Configured>): ServedProvider {
  const methods = new Map(
    Object.entries({
      ...providerMethods(provider),
      ...blockMethods(provider),
      ...resourceMethods(provider),
    }),
  );
  return { begin: (log) => new Session(provider, methods, log) };
}
