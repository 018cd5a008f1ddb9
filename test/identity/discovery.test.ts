import { interpretVersions } from "../../lib/identity/discovery";
import { parseSharedAuthUrl } from "../../lib/tokens";
import { scripted } from "./support/scripted-client";
import { answer, fault } from "./support/scripted-transport";
import { errorOf, idle } from "./support/wanted";

const ASKED = parseSharedAuthUrl("https://k.example:5000");
const GUESS = "https://k.example:5000/identity/v3";
const version = (href: unknown, id: unknown = "v3.14", rel = "self") => ({
  id,
  links: [{ rel, href }],
});
/** Whose form as a string would throw. */
const NO_TEXT = { toString: 1, valueOf: 1 };
const DEPTH = 60_000;
const DEEP = `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}`;
const values = (...list: unknown[]) => ({ versions: { values: list } });

test.each<[what: string, status: number, body: unknown, v3: string]>([
  ["a list", 300, values(version("https://k.example:5000/v3/")), "https://k.example:5000/v3"],
  [
    "a list with the older interface first",
    200,
    values(
      version("https://k.example:5000/v2.0/", "v2.0"),
      version("https://k.example:5000/id/v3"),
    ),
    "https://k.example:5000/id/v3",
  ],
  [
    "a list without values",
    200,
    { versions: [version("https://k.example:5000/v3/", "v3")] },
    "https://k.example:5000/v3",
  ],
  [
    "one version",
    200,
    { version: version("https://k.example:5000/v3/") },
    "https://k.example:5000/v3",
  ],
  ["a relative link", 200, { version: version("v3/") }, "https://k.example:5000/v3"],
  ["another host", 300, values(version("https://evil.example:5000/v3/")), GUESS],
  ["another port", 300, values(version("https://k.example/v3/")), GUESS],
  ["http", 300, values(version("http://k.example:5000/v3/")), GUESS],
  ["userinfo", 300, values(version("https://u:p@k.example:5000/v3/")), GUESS],
  ["a query", 300, values(version("https://k.example:5000/v3/?x")), GUESS],
  ["no v3", 300, values(version("https://k.example:5000/v4/")), GUESS],
  ["another link", 300, values(version("https://k.example:5000/v3/", "v3.14", "help")), GUESS],
  ["another version", 300, values(version("https://k.example:5000/v3/", "v30")), GUESS],
  ["no link", 300, values({ id: "v3.14" }, null, 5, { id: "v3.14", links: [null] }), GUESS],
  ["no address", 300, values(version(5)), GUESS],
  ["an address that is an object", 300, values(version(NO_TEXT)), GUESS],
  [
    "an address that is too deep",
    300,
    `{"versions":[{"id":"v3","links":[{"rel":"self","href":${DEEP}}]}]}`,
    GUESS,
  ],
  ["an id that is an object", 300, values(version("https://k.example:5000/v3/", NO_TEXT)), GUESS],
  ["an id that is too deep", 300, `{"versions":[{"id":${DEEP}}]}`, GUESS],
  ["no list", 200, "null", GUESS],
  ["no JSON", 200, "<html>", GUESS],
  ["another status", 404, values(version("https://k.example:5000/v3/")), GUESS],
])("%s: %d gives the address", (_what, status, body, v3) => {
  expect(interpretVersions(answer(status, {}, body), ASKED)).toEqual(
    v3 === GUESS ? ASKED : { v3, tokens: `${v3}/auth/tokens` },
  );
});

test("a hundred tokens are one question, without a secret, which is not tried again", async () => {
  const { client, transport } = scripted([
    answer(300, {}, values(version("https://k.example:5000/v3/"))),
  ]);
  const ask = () => client.discover({ authUrl: ASKED, tls: { ca: "CA" } }, idle());
  const all = await Promise.all(Array.from({ length: 100 }, ask));
  expect(new Set([...all, await ask()].map(({ v3 }) => v3))).toEqual(
    new Set(["https://k.example:5000/v3"]),
  );
  expect(transport.sent).toHaveLength(1);
  expect(transport.sent[0]).toMatchObject({
    request: {
      method: "GET",
      url: "https://k.example:5000/",
      headers: { accept: "application/json", "accept-encoding": "identity" },
    },
    options: { tls: { ca: "CA" } },
  });
  expect(transport.sent[0]?.request).not.toHaveProperty("body");
});

test("an answer of another kind is remembered; a service that does not answer is asked again", async () => {
  const { client, transport } = scripted([fault("connection"), answer(503), answer(404)]);
  for (const count of [1, 2, 3, 3]) {
    expect((await client.discover({ authUrl: ASKED }, idle())).v3).toBe(GUESS);
    expect(transport.sent).toHaveLength(count);
  }
});

test.each(["connect_timeout", "no_answer"] as const)(
  "a service that is silent (%s) has the time of a connection, and is not asked again for 30 s",
  async (silence) => {
    const { client, clock, transport } = scripted([fault(silence)]);
    const ask = () => client.discover({ authUrl: ASKED }, idle());
    for (const [passed, asked] of [
      [0, 1],
      [29_999, 1],
      [1, 2],
      // Of a time to come, as after a clock was set back.
      [-1, 3],
    ] as const) {
      clock.now += passed;
      expect((await ask()).v3).toBe(GUESS);
      expect(transport.sent).toHaveLength(asked);
    }
    expect(transport.sent[0]?.options.timeoutMs).toBe(5_000);
  },
);

test("an abort ends the question", async () => {
  const { client } = scripted([() => new Promise(() => {})]);
  const { code } = await errorOf(client.discover({ authUrl: ASKED }, AbortSignal.timeout(1)));
  expect(code).toBe("ERR_CANCELLED");
});
