import fc from "fast-check";
import { assertDestination, parseBaseUrl } from "../../lib/tokens";
import { expectOften } from "../support/expect-often";
import { fuzz, webUrlWithQuery } from "../support/fuzz";

const BASE = "https://api.example.com";

/** The verdict on a destination: "accepted", or the code with the problem. */
function verdict(destination: string, base: string | null = BASE): string {
  try {
    assertDestination(destination, base === null ? undefined : parseBaseUrl(base));
    return "accepted";
  } catch (error) {
    const { code, problem } = error as { readonly code: string; readonly problem: string };
    return `${code} ${problem}`;
  }
}

describe("falls under the base address", () => {
  test.each([
    ["itself", BASE, BASE],
    ["a path", "https://api.example.com/dns/v2/zones", BASE],
    ["a path with an address in it", "https://api.example.com/mail/someone@example.com", BASE],
    ["a query", "https://api.example.com/dns?page=2&to=https://evil.example/", BASE],
    ["a query without a path", "https://api.example.com?page=2", BASE],
    ["the default port", "https://api.example.com:443/x", BASE],
    ["without the base's default port", "https://api.example.com/x", "https://api.example.com:443"],
    [
      "a letter that older clients read differently, in punycode",
      "https://xn--strae-oqa.example",
      "https://xn--strae-oqa.example",
    ],
    ["IPv4", "https://192.0.2.1/x", "https://192.0.2.1:443/"],
    ["http on loopback", "http://127.0.0.1:8080/x", "http://127.0.0.1:8080"],
    ["the base's path", "https://api.example.com/v1", "https://api.example.com/v1/"],
    ["the base's path and a slash", "https://api.example.com/v1/", "https://api.example.com/v1"],
    ["a path below the base's", "https://api.example.com/v1/x", "https://api.example.com/v1"],
    ["an encoded space", "https://api.example.com/v1/my%20object", "https://api.example.com/v1"],
    [
      "dots inside of a segment",
      "https://api.example.com/v1.2/..x/x..y/...",
      "https://api.example.com/v1.2",
    ],
  ])("%s: %s", (_what, destination, base) => {
    expect(verdict(destination, base)).toBe("accepted");
  });
});

describe("does not fall under the base address", () => {
  test.each([
    ["host", "a name that goes on", "https://api.example.com.evil", BASE],
    ["host", "a name that ends like it", "https://evil-api.example.com", BASE],
    ["host", "a parent", "https://example.com", BASE],
    ["host", "a child", "https://x.api.example.com", BASE],
    ["host", "the other host in the path", "https://evil.example/api.example.com", BASE],
    ["host", "the other host in the query", "https://evil.example/?https://api.example.com", BASE],
    ["host", "a Cyrillic letter", "https://xn--pi-6kc.example.com", BASE],
    ["host", "IPv4 as IPv6", "https://[::ffff:c000:201]", "https://192.0.2.1"],
    ["host", "localhost and its address", "http://127.0.0.1", "http://localhost"],
    ["port", "another port", "https://api.example.com:8443", BASE],
    ["port", "http's port", "https://api.example.com:80", BASE],
    ["scheme", "http on loopback", "http://localhost/x", "https://localhost"],
    ["path", "a path that goes on", "https://api.example.com/v10", "https://api.example.com/v1"],
    ["path", "a path of another case", "https://api.example.com/V1", "https://api.example.com/v1"],
    ["path", "a shorter path", "https://api.example.com/", "https://api.example.com/v1"],
    [
      "path",
      "an empty segment before it",
      "https://api.example.com//v1",
      "https://api.example.com/v1",
    ],
    ["path", "an encoded letter", "https://api.example.com/%761", "https://api.example.com/v1"],
    [
      "path",
      "an encoded semicolon",
      "https://api.example.com/a%3Bb",
      "https://api.example.com/a;b",
    ],
  ])("the %s differs: %s (%s)", (part, _what, destination, base) => {
    expect(verdict(destination, base)).toMatch(
      new RegExp(`^ERR_DESTINATION_REFUSED .*: the ${part} differs\\.$`),
    );
  });
});

test.each([
  ["userinfo", "https://user:canary@api.example.com"],
  ["another spelling", "https://API.example.com"],
  ["a part that programs read differently", "https://api.example.com/v1/..;/x"],
])("an address with %s is refused, alone, as a base and below one", (_what, address) => {
  for (const said of [verdict(address), verdict(address, null), verdict(BASE, address)]) {
    expect(said).toMatch(/^ERR_ADDRESS_INVALID /);
    expect(said).not.toContain("canary");
  }
});

test("a base address has no query", () => {
  expect(verdict(BASE, `${BASE}/v1?x=canary`)).toBe(
    'ERR_ADDRESS_INVALID "https://api.example.com/v1" has a query.',
  );
});

test("without a base address any address is taken that is one", () => {
  expect(verdict("https://anywhere.example/x", null)).toBe("accepted");
});

test("a query is not repeated", () => {
  expect(verdict("https://evil.example/x?signature=canary")).toBe(
    "ERR_DESTINATION_REFUSED https://evil.example/x is outside the base address https://api.example.com/: the host differs.",
  );
});

describe("for any address", () => {
  const accepted = webUrlWithQuery.filter((text) => verdict(text, null) === "accepted");
  const segment = fc.stringMatching(/^[a-z0-9_~-]{1,8}$/);

  test("it falls under its origin, and under itself without the query", () => {
    fc.assert(
      fc.property(accepted, (text) => {
        expectOften(verdict(text, new URL(text).origin)).toBe("accepted");
        expectOften(verdict(text, text.replace(/\?.*$/s, ""))).toBe("accepted");
      }),
      fuzz(500),
    );
  });

  test("appended segments stay under it; characters appended to its last segment do not", () => {
    fc.assert(
      fc.property(
        fc.array(segment, { minLength: 1 }),
        fc.array(segment),
        segment,
        (base, below, more) => {
          const path = `${BASE}/${base.join("/")}`;
          expectOften(verdict([path, ...below].join("/"), path)).toBe("accepted");
          expectOften(verdict([`${path}${more}`, ...below].join("/"), path)).toMatch(
            /^ERR_DESTINATION_REFUSED/,
          );
        },
      ),
      fuzz(500),
    );
  });

  test("another origin is refused, whatever the rest is", () => {
    fc.assert(
      fc.property(accepted, accepted, (one, other) => {
        fc.pre(new URL(one).origin !== new URL(other).origin);
        expectOften(verdict(one, new URL(other).origin)).toMatch(/^ERR_DESTINATION_REFUSED/);
      }),
      fuzz(500),
    );
  });

  test("the platform's own parser places accepted addresses below the base", () => {
    const noise = fc.constantFrom(
      ..."/\\@:?#.;%&= \t／．‥",
      ...["..", "%2e", "%2F", "%5c", "%252e", "//", "v1", "api.example.com", "evil.example"],
      ...["https:", "%c0%af", "[::1]", "0x7f.1", "%761", "V1"],
    );
    const base = `${BASE}/v1`;
    fc.assert(
      fc.property(
        fc.array(noise, { maxLength: 8 }),
        fc.constantFrom("https://", BASE, base, `${base}/`),
        (parts, start) => {
          const text = start + parts.join("");
          if (verdict(text, base) !== "accepted") return;
          const { origin, pathname, username, hash } = new URL(text);
          expectOften(origin + username + hash).toBe(BASE);
          expectOften(`${pathname}/`).toMatch(/^\/v1\//);
          // And so does one that takes it apart by hand.
          expectOften(text).toMatch(/^https:\/\/api\.example\.com(?::443)?\/v1(?:[/?]|$)/);
        },
      ),
      fuzz(2000),
    );
  });
});
