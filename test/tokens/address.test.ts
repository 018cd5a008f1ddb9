import fc from "fast-check";
import {
  type AuthUrl,
  isLoopbackHost,
  mayBeSame,
  parseAddress,
  parseAuthUrl,
  parseSharedAuthUrl,
  parseUrl,
} from "../../lib/tokens";
import { expectOften } from "../support/expect-often";
import { fuzz, webUrl, webUrlWithQuery } from "../support/fuzz";

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
  ["https://api.example.com", "https://api.example.com/"],
  ["https://api.example.com:443/x", "https://api.example.com/x"],
  ["https://api.example.com:8443//v1//", "https://api.example.com:8443//v1/"],
  ["https://my_host-1.example?to=https://evil.example/@/../%2e%zz", "https://my_host-1.example/"],
  ["https://a.example/v1.2/..x/x..y/.../to:b@c", "https://a.example/v1.2/..x/x..y/.../to:b@c"],
  ["https://xn--strae-oqa.example", "https://xn--strae-oqa.example/"],
  ["https://[2001:db8::1]:5000/x/", "https://[2001:db8::1]:5000/x"],
  ["http://127.10.20.30:80", "http://127.10.20.30/"],
])("%s is accepted, and printed as %s", (text, printed) => {
  expect(parseAddress(text, "any query").display).toBe(printed);
});

test("a long address is cut where it is printed", () => {
  const { display } = parseAddress(`https://a.example/${"x".repeat(183)}`, "any query");
  expect(display).toBe(`https://a.example/${"x".repeat(182)}…`);
});

test.each([
  ["upper case", "HTTPS://API.example.com/V1", "https://api.example.com/V1"],
  ["a host in Unicode", "https://BÜCHER.example/x", "https://xn--bcher-kva.example/x"],
  ["fullwidth dots", "https://api．example．com", "https://api.example.com/"],
  ["a host in percent-encoding", "https://%61pi%2eexample.com", "https://api.example.com/"],
  ["IPv4 in hex", "https://0x7f.0.0.1", "https://127.0.0.1/"],
  ["IPv4 of two parts", "http://127.1/x", "http://127.0.0.1/x"],
  ["IPv6 with an IPv4 tail", "https://[2001:DB8::1:192.0.2.1]", "https://[2001:db8::1:c000:201]/"],
  ["a port with a zero", "https://api.example.com:0443", "https://api.example.com/"],
  ["a backslash for a slash", "https:/\\evil.example", "https://evil.example/"],
  ["one slash", "https:/api.example.com", "https://api.example.com/"],
  ["encoded dot segments", "https://api.example.com/v1/.%2E/x", "https://api.example.com/x"],
  ["a space in front", " https://api.example.com", "https://api.example.com/"],
  ["a tab, which the parser drops", "https://api.exam\tple.com", "https://api.example.com/"],
])(
  "%s (%j) is refused, with the spelling that the platform's parser writes",
  (_what, text, right) => {
    expect(refusalOf(text)).toMatchObject({
      code: "ERR_ADDRESS_INVALID",
      problem: expect.stringMatching(/^".*" is not spelled as a URL parser writes it\.$/),
      remedy: `Write "${right}".`,
    });
    expect(refusalOf(right)).toBeUndefined();
  },
);

const USERINFO = "The address has userinfo (not repeated here).";
const HIDDEN = "The given text (with an @ in it)";
/** Somebody may have given the secret in place of the address. */
const NOT_REPEATED = "The given text (not repeated here) is not an http or https address.";
const HOST = "has a host that programs read differently.";
const PATH = "has a character that programs read differently.";

test.each<[text: unknown, problem: string]>([
  [null, "The address is missing, or is not a string."],
  // The platform's parser would take it.
  [["https://a.example"], "The address is missing, or is not a string."],
  ["", NOT_REPEATED],
  ["a\u009b2J\u202e", NOT_REPEATED],
  ["x".repeat(81), NOT_REPEATED],
  ["ftp://a.example?canary", NOT_REPEATED],
  ["https+unix://a", NOT_REPEATED],
  ["https:// \u009b2J", '"https:// \\u009b2J" is not an http or https address.'],
  [`https:// ${"x".repeat(80)}`, `"https:// ${"x".repeat(71)}…" is not an http or https address.`],
  ["canary@b", `${HIDDEN} is not an http or https address.`],
  ["https://user:canary@api.example.com", USERINFO],
  ["https://:@api.example.com", USERINFO],
  ["https://u:p@canary/1@api.example.com", USERINFO],
  // URL parsers drop tabs and line feeds.
  ["https:/\t/canary@api.example.com", USERINFO],
  ["https:/\n/:canary@api.example.com", USERINFO],
  ["https:\\\\u:canary@api.example.com", USERINFO],
  ["https://api.example.com?canary@evil.example", USERINFO],
  ["https://api.example.com#canary@evil.example", USERINFO],
  ["http://u:1/canary@keystone.example", `${HIDDEN} uses http, but is not on this machine.`],
  ["https:/a.example/canary@y", `${HIDDEN} is not spelled as a URL parser writes it.`],
  ["http://a.example/?x", '"http://a.example/" uses http, but is not on this machine.'],
  ["http://127.0.0.1.a.b", '"http://127.0.0.1.a.b" uses http, but is not on this machine.'],
  ["https://a.example/p#canary", '"https://a.example/p" has a fragment.'],
  ["https://a.example#", '"https://a.example" has a fragment.'],
  ["https://api.example.com.", `"https://api.example.com." ${HOST}`],
  ["https://a..b", `"https://a..b" ${HOST}`],
  ["https://api.example.com,evil", `"https://api.example.com,evil" ${HOST}`],
  ["https://a.example/my%20object", `"https://a.example/my%20object" ${PATH}`],
  ["https://a.example/v1%2f..%2Fx", `"https://a.example/v1%2f..%2Fx" ${PATH}`],
  ["https://a.example/%zz", `"https://a.example/%zz" ${PATH}`],
  ["https://a.example/..;a=b/x", `"https://a.example/..;a=b/x" ${PATH}`],
  ["https://a.example/v1／x", `"https://a.example/v1／x" ${PATH}`],
  ["https://a.example/\u202etxt", `"https://a.example/\\u202etxt" ${PATH}`],
  ["https://a.example/?canary\\x", `"https://a.example/" ${PATH}`],
  ["https://a.example/?ü&canary", '"https://a.example/" is not spelled as a URL parser writes it.'],
])("%j is refused", (text, problem) => {
  for (const query of ["any query", "no query"] as const) {
    const refusal = refusalOf(text, query);
    expect(refusal?.code).toBe("ERR_ADDRESS_INVALID");
    expect(String(refusal)).not.toMatch(/canary|\p{C}/u);
  }
  expect(refusalOf(text)?.problem).toBe(problem);
  expect(refusalOf(text)?.allowed).toMatch(/ without userinfo and fragment$/);
});

test.each([
  ["https://a.example/?ü", 'Write "https://a.example/", and encode what a query cannot contain.'],
  ['"https://a.example"', "Give it without the quotes around it."],
  ["https://A.example/canary@x", "Write it as a URL parser does."],
  [
    "https://a.example/my%20object",
    "Write it without percent-encoding, semicolons, backslashes and characters other than ASCII; of a base address, the part before them.",
  ],
])("the next step for %j", (text, remedy) => {
  expect(refusalOf(text)?.remedy).toBe(remedy);
});

test.each(["?canary", "?"])("a query such as %s is refused where none can be", (query) => {
  expect(refusalOf(`https://a.example/p${query}`, "no query")).toMatchObject({
    problem: '"https://a.example/p" has a query.',
    allowed:
      "an https address (http for 127.0.0.0/8, [::1] and localhost) without userinfo, query and fragment",
  });
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
            expectOften(refusalOf(right)).toBe(undefined);
          return;
        }
        taken++;
        expectOften(text).toMatch(/^[!-~]*$/);
        const { protocol, host, port, pathname, username, password, hash } = new URL(text);
        expectOften(username + password + hash).toBe("");
        const [authority, path] = RFC_3986.exec(text)?.slice(1) ?? [];
        const written =
          port === "" ? [host, `${host}:${protocol === "https:" ? 443 : 80}`] : [host];
        expectOften(written.includes(authority ?? "")).toBe(true);
        expectOften(path === "" ? "/" : path).toBe(pathname);
        expectOften(pathname).not.toMatch(/[%;\\]|\/\.\.?(?:\/|$)/);
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
  // A host, not a path.
  ["https://identity", "https://identity/identity/v3"],
  ["https://v3/", "https://v3/identity/v3"],
])("%s is completed to %s", (given, v3) => {
  expect(parseAuthUrl(given)).toMatchObject({ v3, tokens: `${v3}/auth/tokens` });
});

test.each([
  ["https://a.example/v3/", ""],
  ["https://a.example", "https://a.example"],
  ["https://a.example:5000/identity/", "https://a.example:5000/identity"],
  ["https://a.example/v2.0", "https://a.example"],
])(
  "of %s in the environment, the service is asked at %j, and may answer with its own origin",
  (given, asked) => {
    const shared = parseSharedAuthUrl(given);
    expect(shared).toEqual(asked ? { asked } : parseAuthUrl(given));
    const isAt = (address: string) => mayBeSame(shared, parseSharedAuthUrl(address));
    expect(isAt("https://a.example/v3")).toBe(!asked.includes(":5000"));
    expect(isAt("https://a.example/other/v3")).toBe(asked === "https://a.example");
    expect(isAt("https://a.example.org/v3")).toBe(false);
  },
);

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
