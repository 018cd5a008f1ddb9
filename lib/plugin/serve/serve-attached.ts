import { PROTOCOL_VERSION } from "../launch/handshake";
import { freshSocketPlace } from "../launch/socket-folder";
import type { Log } from "../provider";
import { PluginServer, type ProviderSource } from "../server/plugin-server";

interface AttachedOptions {
  /** Takes the log; it goes nowhere when left out. */
  readonly log?: Log;
  /** Called when the last of the connections has ended: a moment in which nobody waits. */
  readonly onIdle?: () => void;
  /**
   * Milliseconds that the end of a connection waits for what it held to be given back; 10 seconds
   * when left out.
   */
  readonly releaseTimeoutMs?: number;
}

/**
 * What Terraform needs to know of a running provider: the value beside its address in
 * TF_REATTACH_PROVIDERS.
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
  /** Path of the socket. */
  readonly socket: string;
  /**
   * Ctrl-C for all that are connected: ends their waits. In the plan of an apply Terraform itself
   * asks for nothing until the plan is over. Who connects later is served as ever.
   */
  interrupt(): void;
  /**
   * Ends all connections, gives back what they hold and removes the socket. May be called more than
   * once.
   */
  close(): Promise<void>;
  /**
   * Takes no further connections and removes the socket. Resolves when the last of those that are
   * there has ended and what it held is given back.
   */
  drain(): Promise<void>;
}

/**
 * Serves a provider to any number of Terraform processes, which are told of it by
 * TF_REATTACH_PROVIDERS, until it is closed. There is no TLS in this mode: a fresh folder in the
 * temporary one keeps other users out. No Terraform can end it: each only ends its own connections.
 *
 * Throws {@link PluginStartError} when there is no safe place for the socket.
 *
 * @example
 * const server = await serveAttached(provider);
 * const env = { ...process.env, TF_REATTACH_PROVIDERS: JSON.stringify({ "example.com/acme/iam":
 * server.reattach }) };
 */
export async function serveAttached<Session>(
  provider: ProviderSource<Session>,
  options: AttachedOptions = {},
): Promise<AttachedServer> {
  const { env, platform } = process;
  const place = freshSocketPlace({ env, platform, withoutTls: true });
  const log: Log = options.log ?? (() => undefined);
  let emptied = (): void => {};
  const server = new PluginServer({
    provider,
    log,
    releaseTimeoutMs: options.releaseTimeoutMs,
    onDisconnected: () => {
      if (server.connections > 0) return;
      emptied();
      options.onIdle?.();
    },
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.http2.once("error", reject);
      server.http2.listen(place.socket, resolve);
    });
  } catch (error) {
    place.remove();
    throw error;
  }
  server.http2.on("error", () => log("error", "the server has a fault"));
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= server.close().finally(() => place.remove());
    return closing;
  };
  return {
    reattach: {
      Protocol: "grpc",
      ProtocolVersion: PROTOCOL_VERSION,
      Pid: process.pid,
      Test: true,
      Addr: { Network: "unix", String: place.socket },
    },
    socket: place.socket,
    interrupt: () => server.interruptPresent(),
    close,
    drain: async () => {
      server.http2.close();
      place.remove();
      if (server.connections > 0) {
        await new Promise<void>((resolve) => {
          emptied = resolve;
        });
      }
      await close();
    },
  };
}
