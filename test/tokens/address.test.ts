import fc from "fast-check";
import { isLoopbackHost, parseUrl } from "../../lib/tokens";
import { parseAddress } from "../../lib/tokens/address";
import { expectOften } from "../support/expect-often";
import { fuzz, webUrlWithQuery } from "../support/fuzz";

interface Refusal {
  readonly code: string;
  readonly problem: string;
  readonly allowed: string;
  readonly remedy: string;
}

/** The refusal of an address; undefined if it is accepted. */
function refusalOf(text: unknown, query: "any query" | "no query" = "any query") {
  try {
    parseAddress(text as string, query);
    return undefined;
  } catch (error) {
    return error as Refusal;
  }
}

test.each([
  ["https://api.example.com"],
  ["https://api.example.com/"],
  ["https://api.example.com:443"],
  ["https://api.example.com:443/x"],
  ["https://api.example.com:8443/x/"],
  ["https://api.example.com//v1//"],
  ["https://api.example.com?page=2"],
  ["https://api.example.com/dns?page=2&to=https://evil.example/@/../%2e%zz"],
  ["https://api.example.com/mail/someone@example.com"],
  ["https://api.example.com/v1.2/..x/x..y/.../a;b"],
  ["https://api.example.com/my%20object/100%25/100%255/%c3%bc"],
  ["https://my_host-1.example"],
  ["https://xn--bcher-kva.example"],
  ["https://xn--strae-oqa.example"],
  ["https://192.0.2.1/x"],
  ["https://[2001:db8::1]:5000/x"],
  ["http://127.0.0.1:8080/x"],
  ["http://127.10.20.30:80"],
  ["http://localhost"],
  ["http://[::1]:80/"],
])("%s is accepted", (text) => {
  expect(refusalOf(text)).toBeUndefined();
});

/** The address that a spelling stands for in the platform's parser. */
const MISSPELT: readonly (readonly [what: string, text: string, right: string])[] = [
  ["upper case", "HTTPS://API.example.com/V1", "https://api.example.com/V1"],
  ["a host in Unicode", "https://BÜCHER.example/x", "https://xn--bcher-kva.example/x"],
  ["IDN that is not normalized", "https://bu\u0308cher.example", "https://xn--bcher-kva.example/"],
  ["a Cyrillic letter", "https://аpi.example.com", "https://xn--pi-6kc.example.com/"],
  ["fullwidth letters", "https://ａpi.example.com", "https://api.example.com/"],
  ["fullwidth dots", "https://api．example．com", "https://api.example.com/"],
  ["an ideographic full stop", "https://api。example。com", "https://api.example.com/"],
  ["a ligature", "https://ﬁ.example.com", "https://fi.example.com/"],
  [
    "a letter that older clients read as ss",
    "https://straße.example",
    "https://xn--strae-oqa.example/",
  ],
  ["a final sigma", "https://ας.example", "https://xn--mxa8a.example/"],
  ["a soft hyphen", "https://api\u00ad.example.com", "https://api.example.com/"],
  [
    "letters of a host in percent-encoding",
    "https://%61pi.example.com",
    "https://api.example.com/",
  ],
  ["a dot of a host in percent-encoding", "https://api%2eexample.com", "https://api.example.com/"],
  ["IPv4 in hex", "https://0x7f.0.0.1", "https://127.0.0.1/"],
  ["IPv4 in octal", "https://0177.0.0.1", "https://127.0.0.1/"],
  ["IPv4 of one number", "https://2130706433", "https://127.0.0.1/"],
  ["IPv4 of two parts, on loopback", "http://127.1/x", "http://127.0.0.1/x"],
  ["IPv6 in its long form", "https://[2001:0DB8:0:0:0:0:0:1]/x", "https://[2001:db8::1]/x"],
  ["IPv6 with an IPv4 tail", "https://[2001:db8::1:192.0.2.1]", "https://[2001:db8::1:c000:201]/"],
  ["an empty port", "https://api.example.com:", "https://api.example.com/"],
  ["a port with a zero", "https://api.example.com:0443", "https://api.example.com/"],
  ["a backslash for a slash", "https:/\\evil.example", "https://evil.example/"],
  ["a backslash in the path", "https://api.example.com/v1\\..\\x", "https://api.example.com/x"],
  ["one slash", "https:/api.example.com", "https://api.example.com/"],
  ["three slashes", "https:///api.example.com", "https://api.example.com/"],
  ["no slashes", "https:api.example.com", "https://api.example.com/"],
  ["a dot segment", "https://api.example.com/v1/../x", "https://api.example.com/x"],
  ["a dot segment at the end", "https://api.example.com/v1/..", "https://api.example.com/"],
  ["a single dot", "https://api.example.com/./v1", "https://api.example.com/v1"],
  ["encoded dot segments", "https://api.example.com/v1/%2e%2E/x", "https://api.example.com/x"],
  ["a half encoded dot segment", "https://api.example.com/v1/.%2e/x", "https://api.example.com/x"],
  ["a direction mark", "https://api.example.com/\u202etxt", "https://api.example.com/%E2%80%AEtxt"],
  ["a letter in the path", "https://api.example.com/ü", "https://api.example.com/%C3%BC"],
  ["a space", "https://api.example.com/a b", "https://api.example.com/a%20b"],
  ["a space without a break", "https://a.example/a\u00a0b", "https://a.example/a%C2%A0b"],
  ["a space in front", " https://api.example.com", "https://api.example.com/"],
  ["a tab, which the parser drops", "https://api.exam\tple.com", "https://api.example.com/"],
  ["a null at the end", "https://api.example.com/\0", "https://api.example.com/"],
  ["a line feed", "https://api.exam\nple.com", "https://api.example.com/"],
];

describe("a spelling that the platform's parser repairs is refused, with the right one", () => {
  test.each(MISSPELT)("%s: %j", (_what, text, right) => {
    expect(refusalOf(text)).toMatchObject({
      code: "ERR_ADDRESS_INVALID",
      problem: expect.stringMatching(/^".*" is not spelled as a URL parser writes it\.$/),
      remedy: `Write "${right}".`,
    });
    expect(refusalOf(right)).toBeUndefined();
  });

  test.each([
    ["https://api.example.com/?a\nb=canary"],
    ["https://api.example.com/?name=ü&canary"],
    ["https://api.example.com/?canary\\x"],
  ])("in a query, which is not repeated: %j", (text) => {
    const refusal = refusalOf(text);
    expect(refusal?.remedy).toBe(
      'Write "https://api.example.com/", and encode what a query cannot contain.',
    );
    expect(String(refusal)).not.toContain("canary");
  });

  test.each([
    "https://canary\\@evil.example",
    "https:/a.example/x@y",
    "https://A.example/canary@x",
  ])("in %j, which may hold a password and is not repeated", (text) => {
    const refusal = refusalOf(text);
    expect(refusal?.problem).toMatch(/^The given text \(with an @ in it\) is not spelled as/);
    expect(refusal?.remedy).toBe("Write it as a URL parser does.");
  });
});

const HOST =
  "a host with a dot at its end, an empty label, or a character that host names do not have";
const OCTET = "an encoded slash, backslash or dot";
const TWICE = "a character that is encoded twice";
const LOOKALIKE = "a character that is equivalent to a slash or a dot";
const USERINFO = "The address has userinfo (not repeated here).";
const noAddress = (text: string) => `${JSON.stringify(text)} is not an address.`;

describe("is not an address, however it is spelled", () => {
  test.each<[what: string, text: unknown, problem: string]>([
    ["userinfo that looks like the host", "https://api.example.com@evil.example", USERINFO],
    ["userinfo with a password", "https://user:canary@api.example.com", USERINFO],
    ["a password alone", "https://:canary@api.example.com:5000", USERINFO],
    ["empty userinfo", "https://@api.example.com", USERINFO],
    ["empty userinfo with a colon", "https://:@api.example.com", USERINFO],
    ["userinfo with an @", "https://u@canary@api.example.com", USERINFO],
    ["userinfo with a slash", "https://u:p@canary/1@api.example.com", USERINFO],
    ["userinfo behind backslashes", "https:\\\\u:canary@api.example.com", USERINFO],
    // URL parsers drop tabs and line feeds.
    ["a user behind a tab", "https:/\t/canary@api.example.com", USERINFO],
    ["a password behind a line feed", "https:/\n/:canary@api.example.com", USERINFO],
    ["userinfo behind a question mark", "https://api.example.com?canary@evil.example", USERINFO],
    ["userinfo behind a number sign", "https://api.example.com#canary@evil.example", USERINFO],
    ["userinfo of another scheme", "a1://canary@a.example", USERINFO],
    [
      "a password with a slash",
      "http://u:1/canary@keystone.example",
      "The given text (with an @ in it) uses http, but is not on this machine.",
    ],
    ["a broken one with an @", "canary@b", "The given text (with an @ in it) is not an address."],
    ["no scheme", "api.example.com", noAddress("api.example.com")],
    ["no scheme but slashes", "//api.example.com", noAddress("//api.example.com")],
    ["an empty text", "", noAddress("")],
    ["no host", "https://", noAddress("https://")],
    ["no host but a port", "https://:443", noAddress("https://:443")],
    ["a port of letters", "https://a.example:https", noAddress("https://a.example:https")],
    ["a port too high", "https://a.example:65536", noAddress("https://a.example:65536")],
    ["two ports", "https://a.example:443:443", noAddress("https://a.example:443:443")],
    ["an IPv6 zone", "https://[fe80::1%25eth0]", noAddress("https://[fe80::1%25eth0]")],
    ["IPv6 without brackets", "https://2001:db8::1", noAddress("https://2001:db8::1")],
    ["a fullwidth scheme", "ｈttps://a.example", noAddress("ｈttps://a.example")],
    ["characters for a terminal", "a\u009b2J\u202e", '"a\\u009b2J\\u202e" is not an address.'],
    ["a long text", "x".repeat(81), `"${"x".repeat(80)}…" is not an address.`],
    ["null", null, "null is not an address."],
    ["a number", 5, "A value of type number is not an address."],
    // The platform's parser would take it.
    ["a list", ["https://a.example"], "A value of type object is not an address."],
    ["nothing", undefined, "The address is missing."],
    ["another scheme", "ftp://a.example?x", '"ftp://a.example" has the scheme "ftp:".'],
    ["a scheme that goes on", "https+unix://a", '"https+unix://a" has the scheme "https+unix:".'],
    [
      "javascript",
      "javascript://a.example/%0aalert(1)",
      '"javascript://a.example/%0aalert(1)" has the scheme "javascript:".',
    ],
    ["http", "http://a.example/?x", '"http://a.example/" uses http, but is not on this machine.'],
    [
      "a name that begins like loopback",
      "http://127.0.0.1.a.example",
      '"http://127.0.0.1.a.example" uses http, but is not on this machine.',
    ],
    [
      "a name like loopback",
      "http://a-localhost",
      '"http://a-localhost" uses http, but is not on this machine.',
    ],
    ["a fragment", "https://a.example/p#canary", '"https://a.example/p" has a fragment.'],
    ["an empty fragment", "https://a.example#", '"https://a.example" has a fragment.'],
  ])("%s: %j", (_what, text, problem) => {
    const refusal = refusalOf(text);
    expect(refusal).toMatchObject({ code: "ERR_ADDRESS_INVALID", problem });
    expect(String(refusal)).not.toContain("canary");
    expect(refusalOf(text, "no query")?.problem).toBe(problem);
  });

  test.each([
    ["a dot after the host", "https://api.example.com.", HOST],
    ["a dot after the host, before a port", "HTTPS://API.EXAMPLE.COM.:443/", HOST],
    ["an ideographic dot after the host", "https://api.example.com。/", HOST],
    ["two trailing dots", "https://api.example.com..", HOST],
    ["an empty label", "https://api..example.com", HOST],
    ["a leading dot", "https://.api.example.com", HOST],
    ["a comma in the host", "https://api.example.com,evil.example", HOST],
    ["a quote in the host", "https://api'.example.com", HOST],
    ["an encoded slash", "https://api.example.com/v1%2f..%2Fx", OCTET],
    ["an encoded backslash", "https://api.example.com/v1/%5c", OCTET],
    ["an encoded dot in a segment", "https://api.example.com/a%2Eb", OCTET],
    ["a dot encoded twice", "https://api.example.com/v1/%252e%252e/x", TWICE],
    ["a slash encoded three times", "https://api.example.com/v1%25252f", TWICE],
    ["a dot segment with a parameter", "https://api.example.com/v1/..;a=b/x", "a dot segment"],
    ["one with an encoded parameter", "https://api.example.com/v1/..%3B/x", "a dot segment"],
    ["a single dot with a parameter", "https://api.example.com/.;/x", "a dot segment"],
    ["an overlong slash", "https://api.example.com/v1%c0%af", "broken percent-encoding"],
    ["broken percent-encoding", "https://api.example.com/%zz", "broken percent-encoding"],
    ["a percent sign alone", "https://api.example.com/100%", "broken percent-encoding"],
    ["an encoded line feed", "https://api.example.com/%0a", "an encoded control character"],
    ["an encoded null", "https://api.example.com/%00", "an encoded control character"],
    ["a null", "https://api.example.com/\0/x", "an encoded control character"],
    ["a fullwidth slash", "https://api.example.com/v1／x", LOOKALIKE],
    ["an encoded fullwidth slash", "https://api.example.com/v1%EF%BC%8Fx", LOOKALIKE],
    ["a fullwidth dot behind a letter", "https://api.example.com/ü．", LOOKALIKE],
    ["a two dot leader", "https://api.example.com/v1/‥/x", LOOKALIKE],
  ])("%s: %j", (_what, text, mistake) => {
    expect(refusalOf(text)?.problem).toBe(`${JSON.stringify(text)} has ${mistake}.`);
    expect(refusalOf(`${text}@`)?.problem).not.toContain("example");
  });

  test.each(["https://xn--.example.com", "https://xn--abc-.example.com", "https://xn--a.example"])(
    "punycode of nothing: %s",
    (text) => {
      // Node.js 20 refuses it by itself.
      expect(refusalOf(text)?.problem).toMatch(/is not an address|has a host with/);
    },
  );

  test.each(["https://api\u200d.example.com", "https://api.example.com/\ud800"])(
    "an invisible or broken character: %j",
    (text) => {
      expect(refusalOf(text)?.code).toBe("ERR_ADDRESS_INVALID");
      expect(String(refusalOf(text))).not.toMatch(/\p{C}/u);
    },
  );
});

test("a query is refused where none can be, and not repeated", () => {
  for (const text of ["https://a.example/p?canary", "https://a.example/p?"])
    expect(refusalOf(text, "no query")).toMatchObject({
      problem: '"https://a.example/p" has a query.',
      allowed:
        "an https address (http for 127.0.0.0/8, [::1] and localhost) without userinfo, query and fragment",
    });
  expect(refusalOf("https://a.example/p@canary?", "no query")?.problem).toBe(
    "The given text (with an @ in it) has a query.",
  );
  expect(refusalOf("x")?.allowed).toMatch(/ without userinfo and fragment$/);
});

test("the longest address that is taken has 8192 characters", () => {
  const longest = `https://a.example/${"x".repeat(8192 - 18)}`;
  expect(refusalOf(longest)).toBeUndefined();
  expect(refusalOf(`${longest}x`)).toMatchObject({
    code: "ERR_TOO_LONG",
    problem: "The address has 8,193 characters.",
  });
});

test.each([
  ["https://a.example?x=../%2e", "https://a.example/"],
  ["https://a.example:443/x/", "https://a.example/x"],
  [`https://a.example/${"x".repeat(183)}`, `https://a.example/${"x".repeat(182)}…`],
])("%s is printed as %s", (given, printed) => {
  expect(parseAddress(given, "any query").display).toBe(printed);
});

test("only this machine is loopback", () => {
  expect(["localhost", "127.0.0.1", "127.9.8.7", "[::1]"].every(isLoopbackHost)).toBe(true);
  const others = ["localhost.a.example", "127.0.0.1.nip.io", "a.127.0.0.1", "[::2]", "128.0.0.1"];
  expect(others.some(isLoopbackHost)).toBe(false);
});

test("a host with Latin letters is a URL also after the parser has been asked many times", () => {
  const urls = Array.from({ length: 50_000 }, () => parseUrl("https://bücher.example"));
  expect(urls.filter((url) => url === undefined)).toHaveLength(0);
  expect(parseUrl("api.example.com")).toBeUndefined();
});

describe("for any text", () => {
  const noise = fc.constantFrom(
    ..."/\\:@?#.;%&=|^`'\" \t\n／．。‥",
    ...["https://", "http://", "HTTPS:", "https:", "//", "canary", "canary@", "u:canary@"],
    ...["a.example", "127.0.0.1", "[::1]", "localhost", "0x7f.1", "2130706433", "bücher.example"],
    ...["/v3", "/identity", ":443", ":80", ":8080", "..", "%2e", "%2F", "%5c", "%252e", "%40"],
    ...["%c0%af", "xn--", "ß", "\u001b", "\u009b", "\u00ad", "[", "]", "ftp://", "::add-mask::"],
  );
  const start = fc.constantFrom("", "https://a.example", "http://127.0.0.1", "https://");
  /** Authority and path, by RFC 3986, appendix B. */
  const RFC_3986 = /^(?:[^:/?#]+:)(?:\/\/([^/?#]*))([^?#]*)(?:\?[^#]*)?(?:#.*)?$/s;

  test("it is an address that every parser reads alike, or refused without a secret", () => {
    let [tried, taken] = [0, 0];
    fc.assert(
      fc.property(start, fc.array(noise, { maxLength: 6 }), (first, parts) => {
        tried++;
        const text = first + parts.join("");
        const refusal = refusalOf(text);
        if (refusal !== undefined) {
          expectOften(refusal.code).toBe("ERR_ADDRESS_INVALID");
          expectOften(String(refusal)).not.toMatch(/\p{C}/u);
          expectOften(String(refusal)).not.toMatch(/::add/);
          const shown = text.includes("@") ? "" : text.replace(/[?#].*$/s, "");
          if (!shown.includes("canary")) expectOften(String(refusal)).not.toContain("canary");
          const right = /^Write "(.*)"/.exec(refusal.remedy)?.[1];
          if (right !== undefined && !/…|\\/.test(right))
            expectOften(refusalOf(right)).toBeUndefined();
          return;
        }
        taken++;
        expectOften(text).not.toMatch(/[\s\\\p{Cc}]/u);
        const { protocol, host, port, pathname, username, password, hash } = new URL(text);
        expectOften(username + password + hash).toBe("");
        const [authority, path] = RFC_3986.exec(text)?.slice(1) ?? [];
        const written =
          port === "" ? [host, `${host}:${protocol === "https:" ? 443 : 80}`] : [host];
        expectOften(written.includes(authority ?? "")).toBe(true);
        expectOften(path === "" ? "/" : path).toBe(pathname);
        const local = /^(?:localhost|\[::1\]|127\.\d+\.\d+\.\d+)(?::|$)/.test(host);
        expectOften(protocol === "https:" || (protocol === "http:" && local)).toBe(true);
      }),
      fuzz(3000),
    );
    expect(taken).toBeGreaterThan(tried / 30);
  });

  test("the printed form of an accepted address is that address", () => {
    const accepted = webUrlWithQuery.filter((text) => refusalOf(text) === undefined);
    fc.assert(
      fc.property(accepted, (text) => {
        const address = parseAddress(text, "any query");
        fc.pre(!address.display.endsWith("…") && address.segments.at(-1) !== "");
        expect(parseAddress(address.display, "no query")).toEqual(address);
      }),
      fuzz(500),
    );
  });
});
