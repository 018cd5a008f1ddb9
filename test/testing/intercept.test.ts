import { connect } from "node:net";
import { bytesOf, type EmbeddedIdentityService, type Intercept } from "../../lib/testing";
import { startIdentity } from "../support/identity-service";
import { authBody, PASSWORD, signIn } from "./identity-client-of-a-test";

const config = { identityProviders: [{ id: "ci", permission: { account: true } }] };

let identity: EmbeddedIdentityService;
const start = async (intercept: Intercept) => {
  identity = await startIdentity(PASSWORD, config, { intercept });
};
afterEach(() => identity.stop());

const ask = () => signIn(identity);

test("each request is asked about, by its number, with what the client has sent", async () => {
  const seen: unknown[] = [];
  await start(({ number, method, path, headers, body }, serve) => {
    seen.push([number, method, path, headers["content-type"], JSON.parse(body || "{}")]);
    return serve();
  });
  await fetch(`${identity.keystoneUrl}?a=b`);
  expect((await ask()).status).toBe(201);
  expect(seen).toEqual([
    [1, "GET", "/identity/v3", undefined, {}],
    [2, "POST", "/identity/v3/auth/tokens", expect.stringMatching(/json/), authBody()],
  ]);
});

test("an answer in the place of the service's: nothing is issued, and the journal has no entry", async () => {
  await start(({ number }, serve) =>
    number === 1 ? { status: 503, headers: [["Retry-After", "7"]], body: "später" } : serve(),
  );
  const answer = await ask();
  expect([answer.status, answer.headers.get("retry-after"), await answer.text()]).toEqual([
    503,
    "7",
    "später",
  ]);
  expect(identity.issuedTokens()).toEqual([]);
  expect((await ask()).status).toBe(201);
  expect(identity.journal.map(({ status }) => status)).toEqual([201]);
});

test("the service's answer may be changed, and late", async () => {
  await start(async (_request, serve) => {
    const { headers, ...answer } = serve();
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { ...answer, headers: [...headers, ["X-More", "1"], ["X-More", "2"]], body: "other" };
  });
  const { status, headers, text } = await ask().then(async (answer) => ({
    status: answer.status,
    headers: answer.headers,
    text: await answer.text(),
  }));
  expect([status, headers.get("x-more"), headers.get("content-length"), text]).toEqual([
    201,
    "1, 2",
    "5",
    "other",
  ]);
  expect(headers.get("x-subject-token")).toBe(identity.issuedTokens()[0]);
});

/** Everything that a connection gives, and how it ends. */
async function raw(): Promise<{ readonly text: string; readonly end: string }> {
  const socket = connect(identity.port, "127.0.0.1");
  socket.write("GET /identity/v3 HTTP/1.1\r\nHost: x\r\n\r\n");
  let text = "";
  socket.on("data", (bytes) => {
    text += bytes;
    if (text.endsWith("stop")) void identity.stop();
  });
  return new Promise((resolve) => {
    socket.once("error", ({ code = "" }: NodeJS.ErrnoException) => resolve({ text, end: code }));
    socket.once("end", () => resolve({ text, end: "end" }));
  });
}

test("a connection is closed or reset after the given bytes; silent, it ends with the service", async () => {
  await start(({ number }, serve) =>
    number === 1
      ? { cut: "close", bytes: bytesOf(serve()).subarray(0, 20) }
      : number === 2
        ? { cut: "reset" }
        : { cut: "silence", bytes: "stop" },
  );
  expect(await raw()).toEqual({ text: "HTTP/1.1 200 OK\r\nDat", end: "end" });
  expect(await raw()).toEqual({ text: "", end: "ECONNRESET" });
  expect(await raw()).toEqual({ text: "stop", end: "end" });
});

test.each<[mistake: string, intercept: () => unknown, thrown: RegExp | string]>([
  ["throws", () => Promise.reject(new Error("of the test")), "of the test"],
  ["returns nothing", () => undefined, /^intercept returned nothing\. .*\[ERR_TESTING_CONFIG_/],
  ["returns no status", () => ({ body: "x" }), /^intercept returned neither an answer nor a cut/],
  ["misspells a cut", () => ({ cut: "rset" }), /^intercept returned neither an answer nor a cut/],
  ["has a wrong header", () => ({ status: 200, headers: [["bad name", ""]] }), /bad name/],
  ["has a wrong body", () => ({ status: 200, body: 7 }), /number/],
  ["has wrong bytes", () => ({ cut: "close", bytes: 7 }), /number/],
])("a function that %s ends the connection, and stop() throws it", async (_, wrong, thrown) => {
  await start(wrong as Intercept);
  await expect(ask()).rejects.toThrow();
  await expect(identity.stop()).rejects.toThrow(thrown);
});

test("mistakes of a client are none of the test: a path that cannot be decoded, and leaving early", async () => {
  const gone = new AbortController();
  let left: () => void;
  const hasLeft = new Promise<void>((resolve) => {
    left = resolve;
  });
  async function* endless() {
    try {
      for (;;) yield Buffer.alloc(65_536);
    } finally {
      setImmediate(left);
    }
  }
  await start(({ number }, serve) => {
    if (number === 1) return serve();
    gone.abort();
    return { cut: "close", bytes: endless() };
  });
  const path = "/OS-FEDERATION/identity_providers/%zz/protocols/openid/auth";
  const headers = { authorization: `Bearer ${identity.oidcToken()}` };
  const answer = await fetch(`${identity.keystoneUrl}${path}`, { method: "POST", headers });
  expect([answer.status, identity.journal.at(-1)?.reason]).toEqual([400, "malformed_request"]);
  await expect(fetch(identity.keystoneUrl, { signal: gone.signal })).rejects.toThrow();
  await hasLeft;
  await identity.stop();
});
