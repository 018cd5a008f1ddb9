import type { ListenOptions } from "node:net";
import { PluginStartError } from "../faults";
import { freshSocketPlace } from "./socket-folder";

interface ListeningOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly withoutTls: boolean;
}

/** The address of a server that was launched for one client. */
interface ListeningPlace {
  readonly options: ListenOptions;
  /** Removes everything that was created for it. May be called more than once. */
  remove(): void;
}

/**
 * A socket in a new folder; on Windows, where Node.js has no Unix sockets, a free port of the
 * loopback address. All users of the machine can connect to a port, and only TLS distinguishes the
 * client from them: without TLS, nothing is served there.
 *
 * Throws {@link PluginStartError} if there is no safe place.
 */
export function listeningPlace(context: ListeningOptions): ListeningPlace {
  if (context.platform !== "win32") {
    const { socket, remove } = freshSocketPlace(context);
    return { options: { path: socket }, remove };
  }
  if (context.withoutTls)
    throw new PluginStartError(
      "On Windows this provider needs TLS, because other users could connect to it: unset TF_DISABLE_PLUGIN_TLS.",
    );
  return { options: { host: "127.0.0.1", port: 0 }, remove: () => {} };
}
