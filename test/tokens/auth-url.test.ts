import fc from "fast-check";
import { type AuthUrl, parseAuthUrl } from "../../lib/tokens";
import { expectOften } from "../support/expect-often";
import { fuzz, webUrl } from "../support/fuzz";

test.each([
  ["https://cloud.api.example.com", "https://cloud.api.example.com/identity/v3"],
  ["https://cloud.api.example.com:443/identity", "https://cloud.api.example.com/identity/v3"],
  ["https://cloud.api.example.com/identity/", "https://cloud.api.example.com/identity/v3"],
  ["https://keystone.example.com:5000/v3/", "https://keystone.example.com:5000/v3"],
  ["https://keystone.example.com/region-1", "https://keystone.example.com/region-1/identity/v3"],
  ["https://a.example//", "https://a.example/identity/v3"],
  ["https://a.example//v3//", "https://a.example//v3"],
  ["https://a.example/region/identity", "https://a.example/region/identity/v3"],
  ["https://a.example/xv3", "https://a.example/xv3/identity/v3"],
  ["http://127.0.0.1:5000", "http://127.0.0.1:5000/identity/v3"],
  ["http://[::1]:5000/v3", "http://[::1]:5000/v3"],
])("%s is completed to %s", (given, v3) => {
  expect(parseAuthUrl(given)).toEqual({ v3, tokens: `${v3}/auth/tokens` });
});

test("what is no address, or has a query, is refused", () => {
  for (const given of ["http://cloud.api.example.com", "https://cloud.api.example.com/?x"])
    expect(() => parseAuthUrl(given)).toThrow(/\[ERR_ADDRESS_INVALID\]$/);
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
