import fc from "fast-check";
import { assertDestination, parseBaseUrl } from "../../lib/tokens";
import { parseApiAddress } from "../../lib/tokens/base-url";
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
    ["another case and the default port", "HTTPS://API.EXAMPLE.COM:443/", BASE],
    [
      "IDN in Unicode, of a base in punycode",
      "https://bücher.example/x",
      "https://xn--bcher-kva.example",
    ],
    [
      "IDN in punycode, of a base in Unicode",
      "https://xn--bcher-kva.example/x",
      "https://BÜCHER.example",
    ],
    [
      "a letter that older clients read differently, in punycode",
      "https://xn--strae-oqa.example",
      "https://xn--strae-oqa.example",
    ],
    ["IDN that is not normalized", "https://bu\u0308cher.example/x", "https://bücher.example"],
    ["IPv6 in its long form", "https://[2001:0DB8:0:0:0:0:0:1]/x", "https://[2001:db8::1]"],
    ["IPv6 with an IPv4 tail", "https://[::ffff:127.0.0.1]/x", "https://[::ffff:7f00:1]"],
    ["IPv4", "https://192.0.2.1/x", "https://192.0.2.1:443/"],
    ["http on loopback", "http://127.0.0.1:8080/x", "http://127.0.0.1:8080"],
    ["the base's path", "https://api.example.com/v1", "https://api.example.com/v1/"],
    ["the base's path and a slash", "https://api.example.com/v1/", "https://api.example.com/v1"],
    ["a path below the base's", "https://api.example.com/v1/x", "https://api.example.com/v1"],
    ["letters that are encoded", "https://api.example.com/%761/x", "https://api.example.com/v1"],
    ["hex digits of another case", "https://api.example.com/%c3%bc/x", "https://api.example.com/ü"],
    ["an encoded space", "https://api.example.com/v1/my%20object", "https://api.example.com/v1"],
    ["an encoded percent sign", "https://api.example.com/v1/100%25", "https://api.example.com/v1"],
    ["one before a digit", "https://api.example.com/v1/100%255", "https://api.example.com/v1"],
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
    ["host", "a Cyrillic letter", "https://аpi.example.com", BASE],
    ["host", "an IDN without its dots", "https://bucher.example", "https://bücher.example"],
    ["host", "IPv4 as IPv6", "https://[::ffff:192.0.2.1]", "https://192.0.2.1"],
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

/** Each is refused alone, as a base and as a destination, whatever the base is. */
const MALFORMED: readonly (readonly [what: string, address: string])[] = [
  ["userinfo that looks like the host", "https://api.example.com@evil.example"],
  ["userinfo with a password", "https://user:canary@api.example.com"],
  ["empty userinfo", "https://@api.example.com"],
  ["userinfo behind a question mark", "https://api.example.com?canary@evil.example"],
  ["userinfo behind a number sign", "https://api.example.com#canary@evil.example"],
  ["a backslash for a slash", "https:/\\evil.example"],
  ["a backslash before userinfo", "https://evil.example\\@api.example.com"],
  ["a backslash in the path", "https://api.example.com/v1\\..\\x"],
  ["one slash", "https:/api.example.com"],
  ["three slashes", "https:///api.example.com"],
  ["no slashes", "https:api.example.com"],
  ["no scheme", "api.example.com"],
  ["no scheme but slashes", "//api.example.com"],
  ["an empty text", ""],
  ["no host", "https://"],
  ["no host but a port", "https://:443"],
  ["another scheme", "ftp://api.example.com"],
  ["a scheme that goes on", "https+unix://api.example.com"],
  ["a scheme of fullwidth letters", "ｈttps://api.example.com"],
  ["javascript", "javascript://api.example.com/%0aalert(1)"],
  ["http of another machine", "http://api.example.com"],
  ["http of a name that begins like loopback", "http://127.0.0.1.example.com"],
  ["a dot after the host", "https://api.example.com."],
  ["a dot after the host, before a port", "HTTPS://API.EXAMPLE.COM.:443/"],
  ["an ideographic dot after the host", "https://api.example.com。/"],
  ["an empty port", "https://api.example.com:"],
  ["a port of letters", "https://api.example.com:https"],
  ["a port too high", "https://api.example.com:65536"],
  ["two ports", "https://api.example.com:443:443"],
  ["a fragment", "https://api.example.com/#x"],
  ["an empty fragment", "https://api.example.com/#"],
  ["fullwidth letters", "https://ａpi.example.com"],
  ["fullwidth dots", "https://api．example．com"],
  ["an ideographic full stop", "https://api。example。com"],
  ["a ligature", "https://ﬁ.example.com"],
  ["a letter that is another host to older clients", "https://straße.example"],
  ["another one", "https://ας.example"],
  ["a soft hyphen", "https://api\u00ad.example.com"],
  ["a zero-width joiner", "https://api\u200d.example.com"],
  ["a direction mark", "https://api.example.com/\u202etxt"],
  ["half of a character", "https://api.example.com/\ud800"],
  ["a host in percent-encoding", "https://api%2eexample.com"],
  ["letters of a host in percent-encoding", "https://%61pi.example.com"],
  ["two trailing dots", "https://api.example.com.."],
  ["an empty label", "https://api..example.com"],
  ["a leading dot", "https://.api.example.com"],
  ["punycode of nothing", "https://xn--.example.com"],
  ["punycode of ASCII", "https://xn--abc-.example.com"],
  ["no punycode", "https://xn--a.example.com"],
  ["IPv4 in hex", "https://0x7f.0.0.1"],
  ["IPv4 in octal", "https://0177.0.0.1"],
  ["IPv4 of one number", "https://2130706433"],
  ["IPv4 of two parts", "https://127.1"],
  ["an IPv6 zone", "https://[fe80::1%25eth0]"],
  ["IPv6 without brackets", "https://2001:db8::1"],
  ["a dot segment", "https://api.example.com/v1/../x"],
  ["a dot segment at the end", "https://api.example.com/v1/.."],
  ["a single dot", "https://api.example.com/./v1"],
  ["a dot segment with a parameter", "https://api.example.com/v1/..;a=b/x"],
  ["a dot segment with an encoded parameter", "https://api.example.com/v1/..%3B/x"],
  ["an encoded dot", "https://api.example.com/v1/%2e%2E/x"],
  ["a half encoded dot segment", "https://api.example.com/v1/.%2e/x"],
  ["an encoded slash", "https://api.example.com/v1%2f..%2Fx"],
  ["an encoded backslash", "https://api.example.com/v1/%5c"],
  ["a dot encoded twice", "https://api.example.com/v1/%252e%252e/x"],
  ["a slash encoded three times", "https://api.example.com/v1%25252f"],
  ["an overlong slash", "https://api.example.com/v1%c0%af"],
  ["a fullwidth slash", "https://api.example.com/v1／x"],
  ["an encoded fullwidth slash", "https://api.example.com/v1%EF%BC%8Fx"],
  ["a two dot leader", "https://api.example.com/v1/‥/x"],
  ["an encoded line feed", "https://api.example.com/%0a"],
  ["an encoded null", "https://api.example.com/%00"],
  ["broken percent-encoding", "https://api.example.com/%zz"],
  ["a percent sign alone", "https://api.example.com/100%"],
  ["a space", "https://api.example.com/a b"],
  ["a space in front", " https://api.example.com"],
  ["a tab, which the platform's parser would drop", "https://api.exam\tple.com"],
  ["a line feed in the query", "https://api.example.com/?a\nb"],
  ["a space without a break", "https://api.example.com/a\u00a0b"],
  ["a null", "https://api.example.com/\0"],
];

describe("is not an address at all", () => {
  test.each(MALFORMED)("%s: %j", (_what, address) => {
    for (const said of [verdict(address), verdict(address, null), verdict(BASE, address)]) {
      expect(said).toMatch(/^ERR_ADDRESS_INVALID /);
      expect(said).not.toContain("canary");
      expect(said).not.toMatch(/[\p{C}\u2028\u2029]/u);
    }
  });

  test("one that is longer than any server takes", () => {
    expect(verdict(`${BASE}/${"x".repeat(10_000)}`)).toMatch(
      /^ERR_TOO_LONG The address has 10,024 characters/,
    );
  });

  test("a value from JavaScript that is not a string", () => {
    for (const value of [undefined, null, 5, {}])
      expect(verdict(value as unknown as string)).toMatch(/^ERR_ADDRESS_INVALID /);
  });
});

test.each<{ given: unknown; problem: string }>([
  { given: "", problem: '"" is not an address.' },
  { given: null, problem: "null is not an address." },
  { given: 5, problem: "A value of type number is not an address." },
  { given: "api.example", problem: '"api.example" is not an address.' },
  { given: "https:/api.example", problem: '"https:/api.example" is not an address.' },
  {
    given: "javascript:https://api.example",
    problem: '"javascript:https://api.example" is not an address.',
  },
  { given: "canary@b", problem: "The given text (with an @ in it) is not an address." },
  {
    given: "https://api.example/a b",
    problem: '"https://api.example/a b" has white space, a backslash or an invisible character.',
  },
  { given: "ftp://api.example?x", problem: '"ftp://api.example" has the scheme "ftp".' },
  { given: "xhttps://a.example", problem: '"xhttps://a.example" has the scheme "xhttps".' },
  { given: "httpss://a.example", problem: '"httpss://a.example" has the scheme "httpss".' },
  { given: "https://u:canary@a.example", problem: "The address has userinfo (not repeated here)." },
  { given: "https://a.example?canary@x", problem: "The address has userinfo (not repeated here)." },
  { given: "https://:443", problem: '"https://:443" has no usable host and port.' },
  { given: "https://a.example:", problem: '"https://a.example:" has no usable host and port.' },
  {
    given: "https://a.example:99999",
    problem: '"https://a.example:99999" has no usable host and port.',
  },
  {
    given: "https://a%2eexample",
    problem: '"https://a%2eexample" has no usable host and port.',
  },
  { given: "https://[::1]:x", problem: '"https://[::1]:x" has no usable host and port.' },
  {
    given: "https://API.example.:443/",
    problem: 'The host "API.example." ends with a dot; servers may treat it as another host.',
  },
  { given: "https://0x7f.1", problem: 'The host "0x7f.1" is an unusual spelling of 127.0.0.1.' },
  {
    given: "https://.a.example",
    problem: 'The host ".a.example" is an unusual spelling of .a.example.',
  },
  {
    given: "https://straße.example",
    problem: 'The host "straße.example" is an unusual spelling of xn--strae-oqa.example.',
  },
  {
    given: "http://a.example/p?canary",
    problem: '"http://a.example/p" uses http, but is not on this machine.',
  },
  { given: "https://a.example/p#canary", problem: '"https://a.example/p" has a fragment.' },
  { given: "https://a.example#canary", problem: '"https://a.example" has a fragment.' },
  {
    given: "https://a.example/%2e",
    problem: '"https://a.example/%2e" has an encoded slash, backslash or dot.',
  },
  {
    given: "https://a.example/x@y/%2e",
    problem: "The given text (with an @ in it) has an encoded slash, backslash or dot.",
  },
  {
    given: "https://a.example/%2541",
    problem: '"https://a.example/%2541" has a character that is encoded twice.',
  },
  { given: "https://a.example/x/..", problem: '"https://a.example/x/.." has a dot segment.' },
  {
    given: "https://a.example/%zz",
    problem: '"https://a.example/%zz" has broken percent-encoding.',
  },
  {
    given: "https://a.example/%07",
    problem: '"https://a.example/%07" has an encoded control character.',
  },
  {
    given: "https://a.example/．",
    problem: '"https://a.example/．" has a character that is equivalent to a slash or a dot.',
  },
  {
    given: "https://a.example/ü．",
    problem: '"https://a.example/ü．" has a character that is equivalent to a slash or a dot.',
  },
])("of $given is said what is wrong: $problem", ({ given, problem }) => {
  expect(verdict(given as string, null)).toBe(`ERR_ADDRESS_INVALID ${problem}`);
});

test.each([
  ["https://a.example", "https://a.example/"],
  ["HTTPS://A.example:8443/x/", "https://a.example:8443/x"],
  ["https://a.example/%76%2a", "https://a.example/v%2A"],
  ["https://a.example/100%25", "https://a.example/100%25"],
  [`https://a.example/${"x".repeat(182)}`, `https://a.example/${"x".repeat(182)}`],
  [`https://a.example/${"x".repeat(183)}`, `https://a.example/${"x".repeat(182)}…`],
])("%s is printed as %s", (given, printed) => {
  expect(parseApiAddress(given).display).toBe(printed);
});

test("a query is not part of the compared path, but is known to exist", () => {
  const address = parseApiAddress("https://a.example/x?to=../%2e%zz");
  expect(address).toMatchObject({ segments: ["x"], hasQuery: true });
  expect(parseApiAddress("https://a.example?to=/../x")).toMatchObject({ segments: [] });
  expect(parseApiAddress("https://a.example/x").hasQuery).toBe(false);
});

test("the longest address that is taken has 8192 characters", () => {
  const longest = `https://a.example/${"x".repeat(8192 - 18)}`;
  expect(verdict(longest, null)).toBe("accepted");
  expect(verdict(`${longest}x`, null)).toBe("ERR_TOO_LONG The address has 8,193 characters.");
});

test("a refusal says what is allowed, and what to do", () => {
  expect(() => parseBaseUrl(`${BASE}?x`)).toThrow(
    expect.objectContaining({
      allowed: "scheme, host, port and path",
      remedy: "Remove the query.",
    }),
  );
  expect(() => parseApiAddress("x")).toThrow(
    expect.objectContaining({
      allowed:
        "an https address (http for 127.0.0.0/8, [::1] and localhost) without userinfo, fragment, backslashes, white space, control " +
        "characters, dot segments, a dot after the host, and encoded slashes, backslashes and dots",
      remedy: "Give the address as the service's URL list shows it.",
    }),
  );
});

test("a base address has no query", () => {
  expect(verdict(BASE, `${BASE}/v1?x=canary`)).toBe(
    "ERR_ADDRESS_INVALID The base address https://api.example.com/v1 has a query.",
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
        fc.pre(
          new URL(one).origin.replace(/\.(?=:|$)/, "") !==
            new URL(other).origin.replace(/\.(?=:|$)/, ""),
        );
        expectOften(verdict(one, new URL(other).origin)).toMatch(/^ERR_DESTINATION_REFUSED/);
      }),
      fuzz(500),
    );
  });

  /**
   * The guarantee in terms of the platform's parser: with any noise, an accepted address leads to
   * the base.
   */
  /** Authority and path, by RFC 3986, appendix B. */
  const RFC_3986 = /^(?:[^:/?#]+:)(?:\/\/([^/?#]*))([^?#]*)(?:\?[^#]*)?(?:#.*)?$/s;

  test("the platform's own parser places accepted addresses below the base", () => {
    const noise = fc.constantFrom(
      ..."/\\@:?#.;%&= \t\n",
      ..."／．。‥",
      ...[
        "..",
        "%2e",
        "%2F",
        "%5c",
        "%252e",
        "//",
        "v1",
        "api.example.com",
        "evil.example",
        "https:",
        "%c0%af",
        "[::1]",
        "0x7f.1",
        "canary",
        "canary@",
        "\u001b",
        "\u009b",
        "\u00ad",
      ],
    );
    const base = `${BASE}/v1`;
    fc.assert(
      fc.property(
        fc.array(noise, { maxLength: 8 }),
        fc.constantFrom("https://", `${BASE}`, base, `${base}/`),
        (parts, start) => {
          const text = start + parts.join("");
          const [authority = "", path = ""] = RFC_3986.exec(text)?.slice(1) ?? [];
          const said = verdict(text, base);
          if (said !== "accepted") {
            expectOften(said).not.toMatch(/\p{C}/u);
            const mayShow = authority.includes("@") ? "" : text.replace(/[?#].*$/s, "");
            if (!mayShow.includes("canary")) expectOften(said).not.toContain("canary");
            return;
          }
          // And so it does for one that takes a string apart by the standard's own expression.
          expectOften(authority.toLowerCase().replace(/\.?(:443|:)?$/, "")).toBe("api.example.com");
          expectOften(`${path}/`).toMatch(/^\/v1\//);
          const { protocol, host, pathname, username, hash } = new URL(text);
          expectOften([protocol, host.replace(/\.$/, ""), username, hash]).toEqual([
            "https:",
            "api.example.com",
            "",
            "",
          ]);
          expectOften(`${pathname}/`).toMatch(/^\/v1\//);
        },
      ),
      fuzz(2000),
    );
  });

  test("the printed form is parsed to the same address", () => {
    fc.assert(
      fc.property(accepted, (text) => {
        const { hasQuery: _, display, ...parts } = parseApiAddress(text);
        fc.pre(!display.endsWith("…") && parts.segments.at(-1) !== "");
        expect(parseApiAddress(display)).toMatchObject(parts);
      }),
      fuzz(500),
    );
  });
});
