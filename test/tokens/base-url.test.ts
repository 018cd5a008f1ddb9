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

test.each([
  [BASE, BASE],
  ["https://api.example.com/mail/someone@example.com", BASE],
  ["https://api.example.com?to=https://evil.example/", BASE],
  ["https://api.example.com:443/x", BASE],
  ["https://api.example.com/x", "https://api.example.com:443"],
  ["http://127.0.0.1:8080/x", "http://127.0.0.1:8080"],
  ["https://api.example.com/v1", "https://api.example.com/v1/"],
  ["https://api.example.com/v1/", "https://api.example.com/v1"],
])("%s falls under %s", (destination, base) => {
  expect(verdict(destination, base)).toBe("accepted");
});

test.each([
  ["host", "https://api.example.com.evil", BASE],
  ["host", "https://x.api.example.com", BASE],
  ["host", "https://evil.example/?https://api.example.com", BASE],
  ["host", "https://[::ffff:c000:201]", "https://192.0.2.1"],
  ["host", "http://127.0.0.1", "http://localhost"],
  ["port", "https://api.example.com:80", BASE],
  ["scheme", "http://localhost/x", "https://localhost"],
  ["path", "https://api.example.com/v10", "https://api.example.com/v1"],
  ["path", "https://api.example.com/V1", "https://api.example.com/v1"],
  ["path", "https://api.example.com/", "https://api.example.com/v1"],
  ["path", "https://api.example.com//v1", "https://api.example.com/v1"],
])("the %s differs: %s is outside %s", (part, destination, base) => {
  expect(verdict(destination, base)).toMatch(
    new RegExp(`^ERR_DESTINATION_REFUSED .*: the ${part} differs\\.$`),
  );
});

test("an address that programs read differently is refused, alone, as a base and below one", () => {
  const address = "https://api.example.com/v1/..;/x";
  for (const said of [verdict(address), verdict(address, null), verdict(BASE, address)])
    expect(said).toMatch(/^ERR_ADDRESS_INVALID /);
});

test("a base address has no query, and none is repeated", () => {
  expect(verdict(BASE, `${BASE}/v1?x=canary`)).toBe(
    'ERR_ADDRESS_INVALID "https://api.example.com/v1" has a query.',
  );
  expect(verdict("https://evil.example/x?signature=canary")).toBe(
    "ERR_DESTINATION_REFUSED https://evil.example/x is outside the base address https://api.example.com/: the host differs.",
  );
});

describe("for any address", () => {
  const accepted = webUrlWithQuery.filter((text) => verdict(text, null) === "accepted");
  const segment = fc.stringMatching(/^[a-z0-9_~-]{1,8}$/);

  test("it falls under itself without the query", () => {
    fc.assert(
      fc.property(accepted, (text) => {
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
