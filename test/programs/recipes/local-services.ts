import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a local service got. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A service on loopback, on any free port. */
export interface LocalService {
  readonly url: string;
  readonly calls: readonly Call[];
  close(): Promise<void>;
}

type Answer = (call: Call, response: ServerResponse) => void;

async function serve(answer: Answer): Promise<LocalService> {
  const calls: Call[] = [];
  const server: Server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { method = "", url = "", headers } = request;
    const call = { method, path: url, headers, body };
    calls.push(call);
    answer(call, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** An API that takes whatever comes, and gives each object an id. */
export function serveApi(): Promise<LocalService> {
  let objects = 0;
  return serve(({ method }, response) => {
    objects += 1;
    response.writeHead(method === "PUT" ? 201 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ id: `object-${objects}` }));
  });
}
