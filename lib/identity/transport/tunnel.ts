import type { Socket } from "node:net";
import { defined } from "../../tokens";
import type { Target } from "./addresses";
import { ConnectError } from "./connector";
import { dispatch } from "./dispatch";
import type { HttpProxy } from "./proxy";
import { faultIn } from "./socket-fault";
import { USER_AGENT } from "./user-agent";

/**
 * Turns a connection to a proxy into one to the target, by CONNECT. Proxy-Authorization and the proxy's
 * answer are never printed. Not with undici's ProxyAgent, which waits forever if a proxy closes or
 * hangs.
 */
export async function tunnel(
  socket: Socket,
  { origin, ...proxy }: HttpProxy,
  { host, port }: Target,
  signal: AbortSignal,
): Promise<void> {
  const end = () => socket.destroy();
  signal.addEventListener("abort", end);
  const path = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const authorization = proxy.authorization?.reveal();
  const headers = {
    host: path,
    "user-agent": USER_AGENT,
    ...defined({ "proxy-authorization": authorization }),
  };
  try {
    const status = await new Promise<number>((resolve, reject) => {
      dispatch(
        socket,
        { origin, method: "CONNECT", path, headers },
        {
          onRequestStart: () => {},
          onRequestUpgrade: (_controller, code) => resolve(code),
          onResponseError: (_controller, error) => reject(new ConnectError(faultIn(socket, error))),
        },
      );
    });
    // Any 2xx is a tunnel (RFC 9110, section 9.3.6).
    if (status < 200 || status > 299)
      throw new ConnectError({ kind: "fault", fault: "proxy_status", status });
    // No bytes directly after the proxy's answer: in TLS the server never speaks first.
    if (socket.readableLength > 0) throw new ConnectError({ kind: "fault", fault: "malformed" });
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}
