import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { interpretVersions } from "../../lib/identity/discovery";
import type { Answer } from "../../lib/identity/transport/transport";
import { parseAuthUrl } from "../../lib/tokens";
import { hasOpenstacksdk, pythonWithOpenstacksdk } from "../support/openstacksdk";
import { describeIf } from "../support/skips";
import { answer, fault, scripted } from "./support/scripted";
import { errorOf, idle } from "./support/wanted";

const AT = "https://k.example:5000";
const ASKED = { asked: AT };
const GUESS = `${AT}/identity/v3`;
const version = (href: unknown, id: unknown = "v3.14", rel = "self") => ({
  id,
  status: "stable",
  links: [{ rel, href }],
});
/** Whose form as a string would throw. */
const NO_TEXT = { toString: 1, valueOf: 1 };
const DEPTH = 60_000;
const DEEP = `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}`;
const values = (...list: unknown[]) => ({ versions: { values: list } });
const LISTED = answer(300, {}, values(version(`${AT}/v3/`)));

test.each<[what: string, status: number, body: unknown, v3?: string]>([
  [
    "a list with the older interface first",
    200,
    values(version(`${AT}/v2.0/`, "v2.0"), version(`${AT}/id/v3`)),
    `${AT}/id/v3`,
  ],
  ["userinfo, of which nothing is used", 300, values(version("https://u:p@k.example:5000/v3/"))],
  ["http behind a proxy", 300, values(version("http://k.example:5000/id/v3/")), `${AT}/id/v3`],
  ["an internal name", 300, values(version("http://keystone.internal:35357/v3/"))],
  ["a query, which is not used", 300, values(version(`${AT}/v3/?x`))],
])("%s: %d gives the address", (_what, status, body, v3 = `${AT}/v3`) => {
  expect(interpretVersions(answer(status, {}, body), ASKED)).toEqual(parseAuthUrl(v3));
});

test.each<[what: string, status: number, body: unknown]>([
  ["no v3", 300, values(version(`${AT}/v4/`))],
  ["another link", 300, values(version(`${AT}/v3/`, "v3.14", "help"))],
  ["another version", 300, values(version(`${AT}/v3/`, "v30"))],
  ["a path that programs read differently", 300, values(version(`${AT}/a%20b/v3/`))],
  ["no link", 300, values({ id: "v3.14" }, null, 5, { id: "v3.14", links: [null] })],
  ["no address", 300, values(version(5))],
  ["an address that is an object", 300, values(version(NO_TEXT))],
  [
    "an address that is too deep",
    300,
    `{"versions":[{"id":"v3","links":[{"rel":"self","href":${DEEP}}]}]}`,
  ],
  ["an id that is an object", 300, values(version(`${AT}/v3/`, NO_TEXT))],
  ["an id that is too deep", 300, `{"versions":[{"id":${DEEP}}]}`],
  ["no list", 200, "null"],
  ["no JSON", 200, "<html>"],
  ["another status", 404, values(version(`${AT}/v3/`))],
])("%s: %d gives none", (_what, status, body) => {
  expect(interpretVersions(answer(status, {}, body), ASKED)?.v3).toBeUndefined();
});

/** Where we sign in, if a service answers so; null for a guess. */
async function weSignIn(asked: string, answers: readonly (readonly [string, Answer])[]) {
  const bare = (url: string) => url.replace(/\/$/, "");
  const { client, transport } = scripted([
    ({ url }) => answers.find(([at]) => bare(at) === bare(url))?.[1] ?? answer(404),
  ]);
  const { tokens, isGuess } = await client.discover({ authUrl: { asked } }, idle());
  for (const { request } of transport.sent) {
    expect(request.method).toBe("GET");
    expect(new URL(request.url).origin).toBe(new URL(asked).origin);
  }
  return isGuess ? null : tokens;
}

const redirect = (status: number, location: string) => answer(status, { location });

describeIf(hasOpenstacksdk(), "without OpenStack's own client library")(
  "where the real keystoneauth signs in, we do",
  () => {
    const link = (href: string) => answer(300, {}, values(version(href)));
    const INTERNAL = "http://keystone.internal:5000";
    const rows: readonly (readonly [asked: string, answers: [string, Answer][]])[] = [
      ...[
        `${AT}/v3/`,
        "http://k.example:5000/v3/",
        "http://k.example:5000/keystone/v3",
        `${INTERNAL}/v3/`,
        `${INTERNAL}/identity/v3/`,
        "https://evil.example/v3/",
        "v3/",
        "/v3/",
        "//other.example/v3/",
      ].flatMap((href) =>
        [AT, `${AT}/keystone`, `${AT}/identity`].map(
          (asked) => [asked, [[asked, link(href)]]] as [string, [string, Answer][]],
        ),
      ),
      [AT, [[AT, answer(200, {}, { versions: [version(`${AT}/v3/`, "v3")] })]]],
      [AT, [[AT, answer(200, {}, { version: version(`${AT}/v3/`) })]]],
      ...[301, 302, 303, 307, 308].map(
        (status) =>
          [
            AT,
            [
              [AT, redirect(status, `${AT}/v3/`)],
              [`${AT}/v3/`, answer(200, {}, { version: version("http://k.example:5000/v3/") })],
            ],
          ] as [string, [string, Answer][]],
      ),
      [AT, [[AT, answer(404)]]],
      [AT, [[AT, answer(200, {}, "<html>")]]],
    ];

    test("in a table of addresses, links and redirects", async () => {
      const lines = rows.map(([asked, answers]) =>
        JSON.stringify([
          asked,
          answers.map(([url, { status, headers, body }]) => [
            url,
            status,
            Object.fromEntries(headers),
            Buffer.from(body).toString(),
          ]),
        ]),
      );
      const script = join(__dirname, "where-keystoneauth-signs-in.py");
      const { stdout } = spawnSync(pythonWithOpenstacksdk(), [script], {
        input: lines.join("\n"),
        env: { PATH: "/usr/bin:/bin", PYTHONDONTWRITEBYTECODE: "1" },
        encoding: "utf8",
      });
      const theirs = stdout.trim().split("\n");
      const ours = await Promise.all(rows.map((row) => weSignIn(...row)));
      expect(rows.map(([asked], row) => [lines[row], asked, ours[row]])).toEqual(
        rows.map(([asked], row) => [lines[row], asked, JSON.parse(theirs[row] ?? '"none"')]),
      );
    });
  },
);

test.each([
  ["another host", "https://evil.example:5000/v3/"],
  ["another port", "https://k.example/v3/"],
  ["http", "http://k.example:5000/v3/"],
  ["userinfo", "https://u:p@k.example:5000/v3/"],
  ["nowhere", "https://["],
])("a redirect to %s is not followed, by a question without a secret", async (_where, to) => {
  const answers: [string, Answer][] = [
    [AT, redirect(302, to)],
    [to, LISTED],
  ];
  expect(await weSignIn(AT, answers)).toBeNull();
});

test("a second redirect is not followed", async () => {
  const answers: [string, Answer][] = [
    [AT, redirect(302, "/a/")],
    [`${AT}/a`, redirect(302, "/b/")],
    [`${AT}/b`, LISTED],
  ];
  expect(await weSignIn(AT, answers)).toBeNull();
  expect(await weSignIn(AT, answers.slice(1))).toBeNull();
  expect(await weSignIn(`${AT}/a`, answers)).toBe(`${AT}/v3/auth/tokens`);
});

test("a hundred tokens are one question, without a secret, which is not tried again", async () => {
  const { client, transport } = scripted([LISTED]);
  const ask = () => client.discover({ authUrl: ASKED, tls: { ca: "CA" } }, idle());
  const all = await Promise.all(Array.from({ length: 100 }, ask));
  expect(new Set([...all, await ask()].map(({ v3 }) => v3))).toEqual(new Set([`${AT}/v3`]));
  expect(transport.sent).toHaveLength(1);
  expect(transport.sent[0]).toMatchObject({
    request: {
      method: "GET",
      url: `${AT}/`,
      headers: { accept: "application/json", "accept-encoding": "identity" },
    },
    options: { tls: { ca: "CA" } },
  });
  expect(transport.sent[0]?.request).not.toHaveProperty("body");
});

test("blocks with other certificates ask by themselves", async () => {
  const { client, transport } = scripted([fault("tls"), LISTED]);
  const of = (ca: string) => client.discover({ authUrl: ASKED, tls: { ca } }, idle());
  const [wrong, right] = await Promise.all([of("wrong"), of("right")]);
  expect([wrong.v3, right.v3]).toEqual([GUESS, `${AT}/v3`]);
  expect(transport.sent).toHaveLength(2);
});

test("a failure that comes fast is asked again at once", async () => {
  const { client, transport } = scripted([fault("connection"), answer(503), LISTED]);
  for (const [count, v3] of [
    [1, GUESS],
    [2, GUESS],
    [3, `${AT}/v3`],
    [3, `${AT}/v3`],
  ] as const) {
    expect((await client.discover({ authUrl: ASKED }, idle())).v3).toBe(v3);
    expect(transport.sent).toHaveLength(count);
  }
});

test.each([
  ["a silence before a connection", fault("connect_timeout")],
  ["a silence after it", fault("no_answer")],
  ["404, as of a gateway that starts", answer(404)],
  ["401", answer(401)],
  ["403", answer(403)],
  ["a page", answer(200, {}, "<html>")],
])("after %s, a guess holds for 30 s, and the list that follows for good", async (_what, first) => {
  const { client, clock, transport } = scripted([first, LISTED]);
  for (const [passed, asked, v3] of [
    [0, 1, GUESS],
    [29_999, 1, GUESS],
    [1, 2, `${AT}/v3`],
    [3_600_000, 2, `${AT}/v3`],
  ] as const) {
    clock.now += passed;
    expect((await client.discover({ authUrl: ASKED }, idle())).v3).toBe(v3);
    expect(transport.sent).toHaveLength(asked);
  }
  expect(transport.sent[0]?.options.timeoutMs).toBe(5_000);
});

test("an abort ends the question, and is no answer to the next one", async () => {
  const { client } = scripted([() => new Promise(() => {}), LISTED]);
  const { code } = await errorOf(client.discover({ authUrl: ASKED }, AbortSignal.timeout(1)));
  expect(code).toBe("ERR_CANCELLED");
  await new Promise((resolve) => setImmediate(resolve));
  expect((await client.discover({ authUrl: ASKED }, idle())).v3).toBe(`${AT}/v3`);
});
