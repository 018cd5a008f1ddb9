import * as http from "node:http";
import * as https from "node:https";
import { connect, type Socket } from "node:net";
import { TLSSocket, type TlsOptions } from "node:tls";
import { LoopbackServer } from "../../support/loopback-server";
import { closing } from "./against";

/** Answer of a test's proxy to CONNECT. */
export type Behaviour =
  | "tunnel"
  | "tunnel by 201"
  | "hang"
  | "close"
  | "say ERROR"
  | "show a page"
  | { readonly status: number };

/** A proxy that tunnels every name to one port of this machine, and records its requests. */
export class ConnectProxy extends LoopbackServer {
  readonly asked: {
    readonly target: string;
    readonly authorization: string | undefined;
    readonly agent: string | undefined;
    readonly certified?: boolean;
  }[] = [];

  /**
   * @param secure makes it one that is reached by TLS; then it records whether it received a
   * certificate
   */
  static async start(
    targetPort: number,
    behaviour: Behaviour = "tunnel",
    secure?: TlsOptions,
  ): Promise<ConnectProxy> {
    const refuse: http.RequestListener = (_request, response) => response.writeHead(400).end();
    const server =
      secure === undefined ? http.createServer(refuse) : https.createServer(secure, refuse);
    const proxy = new ConnectProxy(server);
    server.on("connect", (request: http.IncomingMessage, socket: Socket) => {
      const certificate =
        socket instanceof TLSSocket
          ? { certified: socket.getPeerX509Certificate() !== undefined }
          : {};
      proxy.asked.push({
        target: request.url ?? "",
        authorization: request.headers["proxy-authorization"],
        agent: request.headers["user-agent"],
        ...certificate,
      });
      // Ends with the other side, and not before.
      if (behaviour === "hang") socket.resume().on("end", () => socket.end());
      else if (behaviour === "close") socket.destroy();
      else if (behaviour === "say ERROR") socket.end("ERROR\r\n");
      // As the portal of a hotel does.
      else if (behaviour === "show a page") socket.end("HTTP/1.1 200 OK\r\n\r\n<html>");
      else if (typeof behaviour === "object")
        socket.end(`HTTP/1.1 ${behaviour.status} No\r\nContent-Length: 4\r\n\r\nbody`);
      else {
        const onward = connect(targetPort, "127.0.0.1", () => {
          const status = behaviour === "tunnel" ? 200 : 201;
          socket.write(`HTTP/1.1 ${status} Connection established\r\n\r\n`);
          onward.pipe(socket).pipe(onward);
        });
        proxy.keep(onward);
      }
    });
    return closing(await proxy.listen());
  }
}
