import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { probe } from "../../lib/identity";

let server: Server;
let handle: Parameters<typeof createServer>[1];
const asked: string[] = [];

beforeEach(async () => {
  asked.length = 0;
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers["x-auth-token"] ?? "no token"}`);
    handle?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const NOW = Date.UTC(2026, 0, 1);
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/identity/v3`;
const ask = () => probe(address(), { env: {}, now: () => NOW });

test.each([200, 300, 401, 404, 503])(
  "accepts any answer, even %i, and sends only one request, without a token",
  async (status) => {
    handle = (_, response) =>
      void response
        .writeHead(status, { Date: new Date(NOW - 90_000).toUTCString(), Location: "/x" })
        .end("{}");
    expect(await ask()).toEqual({
      status,
      tookMs: expect.any(Number),
      clockAheadMs: 90_000,
    });
    expect(asked).toEqual(["GET /identity/v3 no token"]);
  },
);

test("a service without a Date header has no time", async () => {
  handle = (_, response) => {
    response.sendDate = false;
    response.end();
  };
  expect((await ask()).clockAheadMs).toBeUndefined();
});
