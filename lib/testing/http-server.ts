import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { errorCodeOf, IamTokensError, TOKEN_LENGTH } from "../tokens";
import { deliver, hasLeft, type Intercept, type Reaction, type ServedAnswer } from "./intercept";
import type { IdentityRequest } from "./keystone/http";

/**
 * A long identity token is refused by the service, not by Node.js; and whoever asks about a token,
 * or revokes it, sends it twice.
 */
const LIMITS = { maxHeaderSize: 3 * TOKEN_LENGTH };

/**
 * Listens, and answers each request as `serve` and `intercept` say.
 *
 * @throws ERR_LISTEN_FAILED
 */
export async function listen(
  port: number,
  serve: (request: IdentityRequest) => ServedAnswer,
  intercept: Intercept | undefined,
) {
  let requests = 0;
  let failure: { readonly error: unknown } | undefined;

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const number = ++requests;
    const request = await read(incoming);
    let reaction: Reaction | undefined;
    try {
      reaction = intercept
        ? await intercept({ number, ...request }, () => serve(request))
        : serve(request);
      await deliver(reaction, response);
    } catch (error) {
      // Once there is a reaction, the client may have left, which is not a mistake of the test.
      if (reaction === undefined || !hasLeft(error)) failure ??= { error };
      throw error;
    }
  }

  const listener: RequestListener = (request, response) => {
    respond(request, response).catch(() => response.destroy());
  };
  const server = createServer(LIMITS, listener);
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    const code = errorCodeOf(error) ?? "unknown error";
    const why = code === "EADDRINUSE" ? "is in use" : `cannot be listened on (${code})`;
    throw new IamTokensError("ERR_LISTEN_FAILED", `Port ${port} of 127.0.0.1 ${why}.`);
  }

  return {
    /** Zero when it has stopped. */
    port: () => (server.address() as AddressInfo | null)?.port ?? 0,

    /** @throws the error of `intercept`, or of what it returned, once */
    async stop(): Promise<void> {
      if (server.listening) {
        server.close();
        server.closeAllConnections();
        await once(server, "close");
      }
      const failed = failure;
      failure = undefined;
      if (failed !== undefined) throw failed.error;
    },
  };
}

async function read(incoming: IncomingMessage): Promise<IdentityRequest> {
  const chunks: Buffer[] = await incoming.toArray();
  const { method = "GET", url = "/" } = incoming;
  const [path = "", ...query] = url.split("?");
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  const body = Buffer.concat(chunks).toString("utf8");
  return { method, path, query: query.join("?"), headers, body };
}
