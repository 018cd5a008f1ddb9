import { Server } from "node:net";
import { PROTOCOL_VERSION } from "../launch/handshake";
import { listenInFolder } from "../launch/socket-folder";
import type { Log, Provider } from "../provider";
import { PluginServer } from "../server/plugin-server";
import { serveProvider } from "../server/serve-provider";

/**
 * A running provider, for Terraform: the value for its address in TF_REATTACH_PROVIDERS.
 */
export interface ReattachConfig {
  readonly Protocol: "grpc";
  readonly ProtocolVersion: number;
  readonly Pid: number;
  readonly Test: true;
  readonly Addr: { readonly Network: "unix"; readonly String: string };
}

export interface AttachedServer {
  readonly reattach: ReattachConfig;
  /**
   * Ctrl-C for all current connections: ends their waits. During the plan of an apply, Terraform
   * itself sends nothing until the plan is over. Later connections are served as usual.
   */
  interrupt(): void;
  /**
   * Ends all connections, releases everything that they hold, and removes the socket. May be called
   * more than once.
   */
  end(): Promise<void>;
  /**
   * Accepts no further connections and removes the socket. Resolves when the last current
   * connection has ended and been released.
   */
  drain(): Promise<void>;
}

/**
 * Serves a provider to any number of Terraform processes, which find it by TF_REATTACH_PROVIDERS,
 * until it is ended. This mode has no TLS: a new folder in the temporary one keeps other users
 * out. Terraform cannot end it: a Terraform process only ends its own connections.
 *
 * @throws PluginStartError if there is no safe place for the socket
 * @example
 * const server = await serveAttached(provider);
 * const env = { ...process.env, TF_REATTACH_PROVIDERS: JSON.stringify({ "example.com/acme/iam":
 * server.reattach }) };
 */
export async function serveAttached<Session>(
  provider: Provider<Session>,
  log: Log = () => {},
): Promise<AttachedServer> {
  const { env, platform } = process;
  let emptied = (): void => {};
  const server = new PluginServer({
    load: () => serveProvider(provider),
    log,
    onDisconnected: () => {
      if (server.connections === 0) emptied();
    },
  });
  const place = await listenInFolder(server.http2, { env, platform, mutualTls: false });
  server.http2.on("error", () => log("error", "internal error in the server"));
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => {
    ending ??= server.end().finally(() => place.remove());
    return ending;
  };
  return {
    reattach: {
      Protocol: "grpc",
      ProtocolVersion: PROTOCOL_VERSION,
      Pid: process.pid,
      Test: true,
      Addr: { Network: "unix", String: place.socket },
    },
    interrupt: () => server.interrupt({ later: false }),
    end,
    drain: async () => {
      // Not its own: from Node.js 24 on, that ends connections too as soon as they pause.
      Server.prototype.close.call(server.http2);
      place.remove();
      if (server.connections > 0) {
        await new Promise<void>((resolve) => {
          emptied = resolve;
        });
      }
      await end();
    },
  };
}
