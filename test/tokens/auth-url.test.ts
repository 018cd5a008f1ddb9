import fc from "fast-check";
import { isLoopbackHost, parseAuthUrl, parseUrl } from "../../lib/tokens";

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
  );
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
