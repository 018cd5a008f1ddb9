import type { Server as HttpServer } from "node:http";
import { Server as HttpsServer } from "node:https";
import type { Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";
import type { TlsFault } from "../config/faults";
import type { ServerTls } from "../tls/server-tls";
import { makeThrowAwayCertificate } from "../tls/throw-away-certificate";

/** TCP connections by the client's port: below TLS, where a connection can be reset. */
export type Connections = ReadonlyMap<number, Socket>;

/**
 * Intercepts a server's connections: records them, and makes the handshake of some fail.
 *
 * @param takeFault returns the fault of the connection that has just come
 */
export function watchConnections(
  server: HttpServer,
  tls: ServerTls | undefined,
  takeFault: () => TlsFault | undefined,
): Connections {
  const connections = new Map<number, Socket>();
  const accept = server.listeners("connection") as ((socket: Socket) => void)[];
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    const port = socket.remotePort ?? 0;
    connections.set(port, socket);
    socket.once("close", () => connections.delete(port));
    const fault = tls === undefined ? undefined : takeFault();
    if (fault?.how === "silent" || fault?.how === "not_tls") {
      socket.on("error", () => {});
      if (fault.how === "not_tls")
        socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      return;
    }
    // The context is read when a connection comes, so this affects only this one.
    if (fault !== undefined && tls !== undefined && server instanceof HttpsServer)
      server.setSecureContext(faulty(tls, fault.how));
    for (const handle of accept) handle.call(server, socket);
    if (fault !== undefined && tls !== undefined && server instanceof HttpsServer)
      server.setSecureContext(sound(tls));
  });
  return connections;
}

/** The server's normal settings. */
function sound({ certificate, key }: ServerTls): SecureContextOptions {
  return { cert: certificate, key: key.reveal(), minVersion: "TLSv1.2" };
}

function faulty(
  tls: ServerTls,
  how: Exclude<TlsFault["how"], "silent" | "not_tls">,
): SecureContextOptions {
  switch (how) {
    case "unknown_ca": {
      const { certificate, key } = makeThrowAwayCertificate();
      return { cert: certificate, key, minVersion: "TLSv1.2" };
    }
    case "too_old":
      // OpenSSL does not allow this by default.
      return {
        ...sound(tls),
        minVersion: "TLSv1.1",
        maxVersion: "TLSv1.1",
        ciphers: "DEFAULT@SECLEVEL=0",
      };
    default:
      return { ...sound(tls), cert: tls.faulty?.[how] ?? tls.certificate };
  }
}
