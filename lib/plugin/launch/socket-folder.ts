import { once } from "node:events";
import type { Server } from "node:net";
import path from "node:path";
import { PluginStartError } from "../faults";
import { freshFolder, NoFolderError, removeFolder } from "./fresh-folder";
import { hasOtherUsers } from "./other-users";

/** The name of the socket in its folder. */
export const SOCKET = "s";
/** How the name of such a folder begins. */
const PREFIX = "tfp-";

/** The address of a server: a socket in its own folder. */
interface SocketPlace {
  readonly socket: string;
  /** Removes everything that was created for it. May be called more than once. */
  remove(): void;
}

/** Inputs for the choice of a folder. */
interface SocketFolderOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Whether the server knows its only client by a certificate, and the client the server. */
  readonly mutualTls: boolean;
}

/** Why no server can listen there; undefined if one can. */
export function socketProblem(socket: string, platform: NodeJS.Platform): string | undefined {
  const length = Buffer.byteLength(socket, "utf8");
  // A socket's path has a fixed size in the kernel; the last byte is the end mark.
  const limit = (platform === "linux" ? 108 : 104) - 1;
  if (length > limit)
    return `a socket's path has at most ${limit} bytes, this would have ${length}`;
  // The handshake is one line of fields separated by bars.
  for (const character of socket) {
    if (character === "|" || character < " " || character === "\u007f")
      return 'it has a "|" or a control character';
  }
  return undefined;
}

/**
 * Makes a server listen on a socket in a new folder: see {@link freshFolder}. With mutual TLS,
 * whoever replaces the socket gains nothing but an end of the connection: then a folder will do in
 * which others could do that, as long as there are no others.
 *
 * Throws {@link PluginStartError} if there is no place for a socket.
 */
export async function listenInFolder(
  server: Server,
  { env, platform, mutualTls }: SocketFolderOptions,
): Promise<SocketPlace> {
  try {
    return await freshFolder({
      env,
      platform,
      prefix: PREFIX,
      unfit: (parent) => socketProblem(path.join(parent, `${PREFIX}XXXXXX`, SOCKET), platform),
      isShared: mutualTls ? (folder) => hasOtherUsers(folder) : undefined,
      use: async (folder) => {
        const socket = path.join(folder, SOCKET);
        // Not every file system has sockets.
        await once(server.listen(socket), "listening");
        return { socket, remove: () => removeSocketFolder(folder) };
      },
    });
  } catch (error) {
    if (!(error instanceof NoFolderError)) throw error;
    throw new PluginStartError(
      `No folder for the provider's socket: ${error.message}. Set TMPDIR to a short folder that you can write; it and each folder above it have to be yours or root's, and sticky (chmod +t) or not writable for others.`,
    );
  }
}

/** Removes the folder of a socket, whose server has ended. */
export function removeSocketFolder(folder: string): void {
  removeFolder(folder, [SOCKET]);
}
