import { isIPv4 } from "node:net";
import fc from "fast-check";
import { type AuthUrl, isLoopbackHost, parseAuthUrl, parseUrl } from "../../lib/tokens";
import { expectOften } from "../support/expect-often";
import { fuzz, webUrl } from "../support/fuzz";

test.each([
  ["https://cloud.api.example.com", "https://cloud.api.example.com/identity/v3/auth/tokens"],
  ["https://cloud.api.example.com/", "https://cloud.api.example.com/identity/v3/auth/tokens"],
  [
    "https://cloud.api.example.com/identity",
    "https://cloud.api.example.com/identity/v3/auth/tokens",
  ],
  [
    "https://cloud.api.example.com/identity/",
    "https://cloud.api.example.com/identity/v3/auth/tokens",
  ],
  [
    "https://cloud.api.example.com/identity/v3",
    "https://cloud.api.example.com/identity/v3/auth/tokens",
  ],
  ["https://keystone.example.com:5000/v3/", "https://keystone.example.com:5000/v3/auth/tokens"],
  [
    "https://keystone.example.com/region-1",
    "https://keystone.example.com/region-1/identity/v3/auth/tokens",
  ],
  ["https://a.example//", "https://a.example/identity/v3/auth/tokens"],
  ["https://a.example/region/identity", "https://a.example/region/identity/v3/auth/tokens"],
  ["https://a.example/identity/x", "https://a.example/identity/x/identity/v3/auth/tokens"],
  ["https://a.example/to:b@c", "https://a.example/to:b@c/identity/v3/auth/tokens"],
  ["http://127.0.0.1:5000", "http://127.0.0.1:5000/identity/v3/auth/tokens"],
  ["http://127.10.20.30:80", "http://127.10.20.30/identity/v3/auth/tokens"],
  ["http://[::1]:5000/v3", "http://[::1]:5000/v3/auth/tokens"],
  ["http://localhost", "http://localhost/identity/v3/auth/tokens"],
])("%s issues at %s", (given, tokens) => {
  expect(parseAuthUrl(given).tokens).toBe(tokens);
});

test.each([
  ["http of another machine", "http://cloud.api.example.com"],
  ["http of a name that begins like loopback", "http://127.0.0.1.example.com"],
  ["http of a name that ends like loopback", "http://evil-localhost"],
  ["userinfo", "https://user:canary@cloud.api.example.com"],
  ["userinfo without a password", "https://canary@cloud.api.example.com"],
  ["empty userinfo", "https://@cloud.api.example.com"],
  ["broken userinfo", "https:// user:canary@cloud"],
  ["a query", "https://cloud.api.example.com/?"],
  ["a fragment", "https://cloud.api.example.com/#"],
  ["another scheme", "ftp://cloud.api.example.com"],
  ["no scheme", "cloud.api.example.com"],
  ["a backslash", "https:\\\\cloud.api.example.com"],
  ["a space", "https://cloud.api.example.com /"],
  ["a line feed, which the platform's parser would drop", "https://cloud.api.exam\nple.com"],
  ["nothing", ""],
])("an address with %s is refused, and userinfo is not repeated", (_what, given) => {
  const error = thrownBy(() => parseAuthUrl(given));
  expect(error).toMatchObject({ code: "ERR_ADDRESS_INVALID" });
  expect(String(error)).not.toContain("canary");
});

test.each<{ given: unknown; problem: string }>([
  { given: "", problem: '"" is not an address.' },
  { given: null, problem: "null is not an address." },
  { given: 5, problem: "A value of type number is not an address." },
  { given: {}, problem: "A value of type object is not an address." },
  // The platform's parser would take it.
  { given: ["https://a.example"], problem: "A value of type object is not an address." },
  { given: "a.example", problem: '"a.example" is not an address.' },
  { given: "a b", problem: '"a b" is not an address.' },
  { given: "canary@ b", problem: "The given text (with an @ in it) is not an address." },
  { given: "x".repeat(81), problem: `"${"x".repeat(80)}…" is not an address.` },
  {
    given: "https://user:canary@a.example",
    problem: "The address of https://a.example has userinfo.",
  },
  {
    given: "https://:canary@a.example:5000",
    problem: "The address of https://a.example:5000 has userinfo.",
  },
  {
    given: "https://canary@a.example/x",
    problem: "The address of https://a.example has userinfo.",
  },
  { given: "https://@a.example", problem: "The address of https://a.example has userinfo." },
  { given: "https://:@a.example", problem: "The address of https://a.example has userinfo." },
  { given: "https://u@canary@a.example", problem: "The address has userinfo." },
  { given: "a1://canary@a.example", problem: "The address of a1://a.example has userinfo." },
  { given: "a1://:canary@a.example", problem: "The address of a1://a.example has userinfo." },
  { given: "ftp://a.example", problem: 'The address has the scheme "ftp:".' },
  { given: "https://a.example/p?", problem: "The address https://a.example/p has a query." },
  {
    given: "https://a.example:5000/p/?canary",
    problem: "The address https://a.example:5000/p/ has a query.",
  },
  {
    given: "https://a.example/p#canary",
    problem: "The address https://a.example/p has a fragment.",
  },
  { given: "https://a.example/p@canary?", problem: "The address (with an @ in it) has a query." },
  {
    given: "http://a.example/p",
    problem: "The address http://a.example/p uses http, but is not on this machine.",
  },
])("of $given is said what is wrong: $problem", ({ given, problem }) => {
  expect(thrownBy(() => parseAuthUrl(given as string))).toMatchObject({
    problem,
    allowed:
      "an https address (http for 127.0.0.0/8, [::1] and localhost) without userinfo, query and fragment",
  });
});

test("escapes commands for a terminal in repeated input", () => {
  expect(thrownBy(() => parseAuthUrl("a\u009b2J\u202e"))).toMatchObject({
    problem: '"a\\u009b2J\\u202e" is not an address.',
  });
});

test("a password with a slash in it is not repeated either", () => {
  expect(thrownBy(() => parseAuthUrl("http://u:1/canary@keystone.example"))).toMatchObject({
    problem: "The address (with an @ in it) uses http, but is not on this machine.",
  });
  expect(thrownBy(() => parseAuthUrl("https://u:p@canary/1@keystone.example"))).toMatchObject({
    problem: "The address has userinfo.",
  });
});

test("an address that is missing is called so", () => {
  expect(thrownBy(() => parseAuthUrl(undefined as unknown as string))).toMatchObject({
    problem: "The address is missing.",
  });
});

test("refuses a value from JavaScript that is not a string", () => {
  for (const given of [undefined, null, 5, {}]) {
    expect(thrownBy(() => parseAuthUrl(given as unknown as string))).toMatchObject({
      code: "ERR_ADDRESS_INVALID",
    });
  }
});

test("completing an address twice is the same as once", () => {
  fc.assert(
    fc.property(webUrl, (url) => {
      const once = parseAuthUrl(url);
      expectOften(parseAuthUrl(once.v3)).toEqual(once);
      expectOften(once.v3.endsWith("/v3")).toBe(true);
    }),
    fuzz(),
  );
});

/** Parts that an address may have, with a password in the userinfo. */
const noise = fc.constantFrom(
  ..."/\\:@?#.;%&= \t\n",
  ...[
    "https://",
    "http://",
    "HTTPS:",
    "https:",
    "//",
    "canary",
    "canary@",
    "u:canary@",
    "a.example",
  ],
  ...[
    "127.0.0.1",
    "[::1]",
    "localhost",
    "0x7f.1",
    "2130706433",
    "bücher.example",
    "/v3",
    "/identity",
  ],
  ...[
    ":443",
    ":8080",
    "..",
    "%2e",
    "%40",
    "／",
    "．",
    "\u001b",
    "\u009b",
    "\u00ad",
    "[",
    "]",
    "ftp://",
  ],
);

test("whatever is given, it is an address that leads where the platform goes, or refused without userinfo", () => {
  let [tried, taken] = [0, 0];
  fc.assert(
    fc.property(
      fc.constantFrom("", "https://a.example", "http://127.0.0.1", "https://"),
      fc.array(noise, { maxLength: 6 }),
      (start, parts) => {
        tried++;
        const text = start + parts.join("");
        let address: AuthUrl;
        try {
          address = parseAuthUrl(text);
        } catch (error) {
          expect(error).toMatchObject({ code: "ERR_ADDRESS_INVALID" });
          // Before the first colon is a scheme, or a user's name; behind the last @ is the host.
          if (/^(?![^:]*canary).*canary.*@(?!.*canary)/s.test(text))
            expectOften(String(error)).not.toContain("canary");
          expectOften(String(error)).not.toMatch(/\p{Cc}/u);
          return;
        }
        taken++;
        // Characters that the platform's parser would repair.
        expectOften(text).not.toMatch(/[\s\\\p{Cc}]/u);
        const [given, v3] = [new URL(text), new URL(address.v3)];
        expectOften(v3.href).toBe(address.v3);
        expectOften(v3.origin).toBe(given.origin);
        expectOften(`${v3.username}${v3.password}${v3.search}${v3.hash}`).toBe("");
        const isLocal =
          ["localhost", "[::1]"].includes(v3.hostname) ||
          (isIPv4(v3.hostname) && v3.hostname.startsWith("127."));
        expectOften(address.loopback).toBe(isLocal);
        if (v3.protocol !== "https:") expectOften([v3.protocol, isLocal]).toEqual(["http:", true]);
        expectOften(address.tokens).toBe(`${address.v3}/auth/tokens`);
        expectOften(address.v3.endsWith("/v3")).toBe(true);
        expectOften(v3.pathname.startsWith(given.pathname.replace(/\/+$/, ""))).toBe(true);
        expectOften(parseAuthUrl(address.v3)).toEqual(address);
      },
    ),
    fuzz(3000),
  );
  expect(taken).toBeGreaterThan(tried / 30);
});

test("only this machine is loopback", () => {
  expect(["localhost", "127.0.0.1", "127.9.8.7", "[::1]"].every(isLoopbackHost)).toBe(true);
  expect(
    [
      "localhost.example.com",
      "127.0.0.1.nip.io",
      "a.127.0.0.1",
      "[::2]",
      "128.0.0.1",
      "10.0.0.1",
    ].some(isLoopbackHost),
  ).toBe(false);
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

test("parses a URL, and gives undefined for any other string", () => {
  expect(parseUrl("https://API.example.com:443/x")?.href).toBe("https://api.example.com/x");
  expect(parseUrl("api.example.com")).toBeUndefined();
});

test("a host with Latin letters is one also after the parser has been asked many times", () => {
  const refused = Array.from({ length: 50_000 }, () => parseUrl("https://bücher.example")).filter(
    (url) => url === undefined,
  );
  expect(refused).toHaveLength(0);
});
