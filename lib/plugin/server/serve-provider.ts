import { faultName } from "../faults";
import type { Log, Provider } from "../provider";
import { blockMethods } from "./block-methods";
import type { ServedProvider, ServedSession } from "./plugin-server";
import { providerMethods } from "./provider-methods";
import { resourceMethods } from "./resource-methods";
import { ProviderSession } from "./session";

/**
 * Serves a provider: each connection gets a session, and the methods of the protocol for it. Apart
 * from the server, which can answer Terraform's first requests without it.
 */
export function serveProvider<Session>(provider: Provider<Session>): ServedProvider {
  const begin = (log: Log): ServedSession => {
    const session = new ProviderSession<Session>(
      provider.release?.bind(provider),
      releaseFault(log),
    );
    const methods = {
      ...providerMethods(provider, session, log),
      ...blockMethods(provider, session, log),
      ...resourceMethods(provider, session, log),
    };
    return {
      methods: new Map(Object.entries(methods)),
      interrupt: () => session.interrupt(),
      end: () => session.end(),
    };
  };
  return { begin };
}

const releaseFault = (log: Log) => (error: unknown) =>
  log("warn", "a session's resources could not be released", { fault: faultName(error) });
