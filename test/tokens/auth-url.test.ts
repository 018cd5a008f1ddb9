import { isIPv4 } from "node:net";
import fc from "fast-check";
import { type AuthUrl, isLoopbackHost, parseAuthUrl, parseUrl } from "../../lib/tokens";
import { fuzz } from "../support/fuzz";

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
  ["http://127.0.0.1:5000", "http://127.0.0.1:5000/identity/v3/auth/tokens"],
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

test("what a terminal obeys is escaped in what is repeated", () => {
  expect(thrownBy(() => parseAuthUrl("a\u009b2J\u202e"))).toMatchObject({
    problem: '"a\\u009b2J\\u202e" is not an address.',
  });
});

test("a password with a slash in it is not repeated either", () => {
  expect(thrownBy(() => parseAuthUrl("http://u:1/canary@keystone.example"))).toMatchObject({
    problem: "The address (with an @ in it) is http, and not of this machine.",
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

test("a value from JavaScript that is no text is refused", () => {
  for (const given of [undefined, null, 5, {}]) {
    expect(thrownBy(() => parseAuthUrl(given as unknown as string))).toMatchObject({
      code: "ERR_ADDRESS_INVALID",
    });
  }
});

test("completing an address twice changes nothing", () => {
  fc.assert(
    fc.property(fc.webUrl({ validSchemes: ["https"] }), (url) => {
      const once = parseAuthUrl(url);
      expect(parseAuthUrl(once.v3)).toEqual(once);
      expect(once.v3.endsWith("/v3")).toBe(true);
    }),
    fuzz(),
  );
});

/** What an address may have in it, with a password where userinfo stands. */
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
  let taken = 0;
  fc.assert(
    fc.property(
      fc.constantFrom("", "https://a.example", "http://127.0.0.1", "https://"),
      fc.array(noise, { maxLength: 6 }),
      (start, parts) => {
        const text = start + parts.join("");
        let address: AuthUrl;
        try {
          address = parseAuthUrl(text);
        } catch (error) {
          expect(error).toMatchObject({ code: "ERR_ADDRESS_INVALID" });
          // Before the first colon is a scheme, or a user's name; behind the last @ is the host.
          if (/^(?![^:]*canary).*canary.*@(?!.*canary)/s.test(text))
            expect(String(error)).not.toContain("canary");
          expect(String(error)).not.toMatch(/\p{Cc}/u);
          return;
        }
        taken++;
        // What the platform would repair.
        expect(text).not.toMatch(/[\s\\\p{Cc}]/u);
        const [given, v3] = [new URL(text), new URL(address.v3)];
        expect(v3.href).toBe(address.v3);
        expect(v3.origin).toBe(given.origin);
        expect(`${v3.username}${v3.password}${v3.search}${v3.hash}`).toBe("");
        const isLocal =
          ["localhost", "[::1]"].includes(v3.hostname) ||
          (isIPv4(v3.hostname) && v3.hostname.startsWith("127."));
        expect(address.loopback).toBe(isLocal);
        if (v3.protocol !== "https:") expect([v3.protocol, isLocal]).toEqual(["http:", true]);
        expect(address.tokens).toBe(`${address.v3}/auth/tokens`);
        expect(address.v3.endsWith("/v3")).toBe(true);
        expect(v3.pathname.startsWith(given.pathname.replace(/\/+$/, ""))).toBe(true);
        expect(parseAuthUrl(address.v3)).toEqual(address);
      },
    ),
    fuzz(3000),
  );
  expect(taken).toBeGreaterThan(100);
});

test("only this machine is loopback", () => {
  expect(["localhost", "127.0.0.1", "127.9.8.7", "[::1]"].every(isLoopbackHost)).toBe(true);
  expect(
    ["localhost.example.com", "127.0.0.1.nip.io", "[::2]", "128.0.0.1", "10.0.0.1"].some(
      isLoopbackHost,
    ),
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

test("a text is a URL or it is none", () => {
  expect(parseUrl("https://API.example.com:443/x")?.href).toBe("https://api.example.com/x");
  expect(parseUrl("api.example.com")).toBeUndefined();
});

test("a host with Latin letters is one also after the parser has been asked many times", () => {
  const refused = Array.from({ length: 50_000 }, () => parseUrl("https://bücher.example")).filter(
    (url) => url === undefined,
  );
  expect(refused).toHaveLength(0);
});
