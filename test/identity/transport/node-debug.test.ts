import { spawn } from "node:child_process";
import { once } from "node:events";
import { serverWith } from "../support/against";
import { ConnectProxy } from "../support/connect-proxy";
import { expectNoCanary, PASSWORD_CANARY, TOKEN_CANARY } from "../support/wanted";

/** Sends a request with secrets to each address of its arguments. */
const SENDER = `
  const { HttpTransport } = require("./lib/identity/transport/http-transport");
  const { limitsOf } = require("./lib/identity/limits");
  const transport = new HttpTransport({ limits: limitsOf(), env: process.env, now: Date.now });
  const headers = { "x-subject-token": process.env.TOKEN };
  const options = { timeoutMs: 10_000, signal: new AbortController().signal };
  (async () => {
    for (const url of process.argv.slice(1))
      await transport.send({ method: "POST", url, headers, body: process.env.PASSWORD }, options);
  })();`;

test("a user's NODE_DEBUG prints no secret of a request or of a proxy", async () => {
  const service = await serverWith();
  const proxy = await ConnectProxy.start(service.port, { status: 407 });
  const url = `${service.url}/`;
  const urls = [url, "https://keystone.example.test/"];
  const child = spawn(process.execPath, ["--import", "tsx", "-e", SENDER, ...urls], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      PATH: process.env.PATH,
      NODE_DEBUG: "undici,fetch,http,https,tls,net",
      HTTPS_PROXY: `http://user:${PASSWORD_CANARY}@127.0.0.1:${proxy.port}`,
      TOKEN: TOKEN_CANARY,
      PASSWORD: PASSWORD_CANARY,
      TSX_DISABLE_CACHE: "1",
    },
  });
  let printed = "";
  child.stderr.on("data", (chunk) => {
    printed += chunk;
  });
  await once(child, "close");
  expect(service.requests[0]?.head).toContain(`x-subject-token: ${TOKEN_CANARY}`);
  expect(proxy.asked).toMatchObject([{ authorization: expect.stringContaining("Basic ") }]);
  expect(printed).toContain(`sending request to POST ${url}`);
  expect(printed).toContain("sending request to CONNECT");
  const encoded = Buffer.from(`user:${PASSWORD_CANARY}`).toString("base64");
  expectNoCanary(printed, [encoded, PASSWORD_CANARY, TOKEN_CANARY]);
});
