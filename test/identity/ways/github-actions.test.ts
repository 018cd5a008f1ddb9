import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { IdentityClient } from "../../../lib/identity";
import { Secret } from "../../../lib/tokens";
import { fault, ScriptedTransport } from "../support/scripted-transport";
import { errorOf, idle } from "../support/wanted";

const BEARER = "CANARY-bearer-5d1a";
const JWT = "CANARYjwt.e30.c2ln";

/** As GitHub's own: two slashes in the path, and a query. */
const PATH = "/143//idtoken/b1c0/9a?api-version=2.0";

async function at<Result>(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
  use: (
    ask: (audience?: string) => Promise<Secret>,
    requests: readonly IncomingMessage[],
  ) => Promise<Result>,
): Promise<Result> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = new IdentityClient({ sleep: async () => {} });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
  try {
    return await use(
      (audience = "keystone") =>
        client.requestIdentityToken({ url, bearer: Secret.of(BEARER), audience }, idle()),
      requests,
    );
  } finally {
    await client.close();
    server.closeAllConnections();
    server.close();
  }
}

const json =
  (body: unknown, status = 200) =>
  (_request: unknown, response: ServerResponse) =>
    void response
      .writeHead(status, { "content-type": "application/json" })
      .end(JSON.stringify(body));

test("asks with the job's secret for the audience, and gives the token", async () => {
  await at(json({ count: 1, value: JWT }), async (ask, requests) => {
    expect((await ask("a&b c/ü")).reveal()).toBe(JWT);
    const [request] = requests;
    expect(request?.method).toBe("GET");
    expect(request?.url).toBe(`${PATH}&audience=a%26b%20c%2F%C3%BC`);
    expect(request?.headers.authorization).toBe(`Bearer ${BEARER}`);
    expect(request?.headers["accept-encoding"]).toBe("identity");
  });
});

test.each<[string, (request: IncomingMessage, response: ServerResponse) => void, string]>([
  ["403", json({ message: "CANARY" }, 403), "answered 403 to the request"],
  [
    "a redirect",
    (_, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/CANARY" }).end(),
    "answered 302 to the request",
  ],
  [
    "a page",
    (_, response) => void response.end("<html>CANARY\u001b[31m"),
    'answered 200 without a JSON object that has a "value"',
  ],
  ["a number", json({ value: 1 }), 'without a JSON object that has a "value"'],
  ["an empty token", json({ value: "" }), 'without a JSON object that has a "value"'],
  ["the secret of the job", json({ value: BEARER }), "answered 200 with the secret of the request"],
])("an answer with %s is one error, and asked for once", async (_name, respond, says) => {
  await at(respond, async (ask, requests) => {
    for (const _again of [1, 2]) {
      const error = await errorOf(ask());
      expect(error.code).toBe("ERR_IDENTITY_TOKEN_UNAVAILABLE");
      expect(error.problem).toContain(says);
      expect(error.message).not.toContain("CANARY");
    }
    expect(requests).toHaveLength(1);
    await errorOf(ask("another audience"));
    expect(requests).toHaveLength(2);
  });
});

test.each([429, 500, 503])("a failure of GitHub's own (%i) is not remembered", async (failure) => {
  let status = failure;
  const respond = (request: IncomingMessage, response: ServerResponse) =>
    json({ value: JWT }, status)(request, response);
  await at(respond, async (ask) => {
    const error = await errorOf(ask());
    expect(error.message).toContain(`answered ${failure} to the request for an identity token`);
    expect(error.message).toContain("Run the job again later. [ERR_IDENTITY_TOKEN_UNAVAILABLE]");
    status = 200;
    expect((await ask()).reveal()).toBe(JWT);
  });
});

test("without an answer, the connection is what failed", async () => {
  const client = new IdentityClient({ transport: new ScriptedTransport(fault("tls")) });
  const wish = { url: "https://actions.example/?x", bearer: Secret.of(BEARER), audience: "a" };
  const error = await errorOf(client.requestIdentityToken(wish, idle()));
  expect(error.code).toBe("ERR_TLS_FAILED");
});

test.each([
  ["http, not on this machine", "http://actions.example/token?api-version=2.0"],
  ["with userinfo", "https://CANARY:CANARY@actions.example/token"],
])("the secret of the job is not sent to an address that is %s", async (_name, url) => {
  const transport = new ScriptedTransport();
  const client = new IdentityClient({ transport });
  const wish = { url, bearer: Secret.of(BEARER), audience: "keystone" };
  const error = await errorOf(client.requestIdentityToken(wish, idle()));
  expect(error.code).toBe("ERR_ADDRESS_INVALID");
  expect(error.problem).toContain("ACTIONS_ID_TOKEN_REQUEST_URL: ");
  expect(error.remedy).toBe("Leave it as GitHub Actions sets it.");
  expect(error.message).not.toContain(BEARER);
  expect(transport.sent).toEqual([]);
});
