import fc from "fast-check";
import { type AuthUrl, parseAuthUrl } from "../../lib/tokens";
import { expectOften } from "../support/expect-often";
import { fuzz, webUrl } from "../support/fuzz";

test.each([
  ["https://cloud.api.example.com", "https://cloud.api.example.com/identity/v3"],
  ["https://cloud.api.example.com/", "https://cloud.api.example.com/identity/v3"],
  ["https://cloud.api.example.com:443/identity", "https://cloud.api.example.com/identity/v3"],
  ["https://cloud.api.example.com/identity/", "https://cloud.api.example.com/identity/v3"],
  ["https://cloud.api.example.com/identity/v3", "https://cloud.api.example.com/identity/v3"],
  ["https://keystone.example.com:5000/v3/", "https://keystone.example.com:5000/v3"],
  ["https://keystone.example.com/region-1", "https://keystone.example.com/region-1/identity/v3"],
  ["https://a.example//", "https://a.example/identity/v3"],
  ["https://a.example//v3//", "https://a.example//v3"],
  ["https://a.example/region/identity", "https://a.example/region/identity/v3"],
  ["https://a.example/identity/x", "https://a.example/identity/x/identity/v3"],
  ["https://a.example/to:b@c", "https://a.example/to:b@c/identity/v3"],
  ["https://a.example/xv3", "https://a.example/xv3/identity/v3"],
  ["http://127.0.0.1:5000", "http://127.0.0.1:5000/identity/v3"],
  ["http://127.10.20.30:80", "http://127.10.20.30/identity/v3"],
  ["http://[::1]:5000/v3", "http://[::1]:5000/v3"],
  ["http://localhost", "http://localhost/identity/v3"],
])("%s is completed to %s", (given, v3) => {
  const loopback = given.startsWith("http:");
  expect(parseAuthUrl(given)).toEqual({ v3, tokens: `${v3}/auth/tokens`, loopback });
});

// All that is no address, address.test.ts has.
test.each([
  ["http of another machine", "http://cloud.api.example.com"],
  ["userinfo", "https://user:canary@cloud.api.example.com"],
  ["a query", "https://cloud.api.example.com/?canary"],
])("an address with %s is refused, without its secret", (_what, given) => {
  const parse = () => parseAuthUrl(given);
  expect(parse).toThrow(expect.objectContaining({ code: "ERR_ADDRESS_INVALID" }));
  expect(parse).not.toThrow(/canary/);
});

test("completing an address twice is the same as once", () => {
  fc.assert(
    fc.property(webUrl, (url) => {
      let once: AuthUrl;
      try {
        once = parseAuthUrl(url);
      } catch {
        return;
      }
      expectOften(parseAuthUrl(once.v3)).toEqual(once);
      expectOften(new URL(once.v3).href).toBe(once.v3);
      expectOften(new URL(once.v3).origin).toBe(new URL(url).origin);
      expectOften(once.v3.startsWith(url.replace(/:443(?=\/|$)|\/+$/g, ""))).toBe(true);
    }),
    fuzz(),
  );
});
