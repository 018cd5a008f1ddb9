import { isExempt, proxyFor } from "../../../lib/identity/transport/proxy";
import { errorOf, expectNoCanary, PASSWORD_CANARY } from "../support/wanted";

const service = new URL("https://keystone.example.com/v3/auth/tokens");

describe("the proxy of an address", () => {
  test.each([
    ["HTTPS_PROXY", { HTTPS_PROXY: "http://proxy.example:3128" }, "proxy.example:3128"],
    ["https_proxy", { https_proxy: "http://proxy.example:3128" }, "proxy.example:3128"],
    [
      "https_proxy before HTTPS_PROXY",
      { https_proxy: "http://lower.example:1", HTTPS_PROXY: "http://upper.example:2" },
      "lower.example:1",
    ],
    [
      "HTTPS_PROXY next to an empty https_proxy",
      { https_proxy: "", HTTPS_PROXY: "http://upper.example:2" },
      "upper.example:2",
    ],
    ["an address without a scheme", { HTTPS_PROXY: "proxy.example:3128" }, "proxy.example:3128"],
    ["http:// without a port", { HTTPS_PROXY: "http://proxy.example" }, "proxy.example:80"],
    ["https:// without a port", { HTTPS_PROXY: "https://proxy.example/" }, "proxy.example:443"],
    ["an IPv6 address between blanks", { HTTPS_PROXY: " http://[::1]:3128 " }, "[::1]:3128"],
  ])("given by %s is used", (_name, env, printed) => {
    expect(proxyFor(service, env)?.display).toBe(printed);
  });

  test.each<[name: string, env: Record<string, string>]>([
    ["no variable", {}],
    ["an empty HTTPS_PROXY", { HTTPS_PROXY: "" }],
    ["an HTTPS_PROXY of blanks", { HTTPS_PROXY: "  " }],
    ["HTTP_PROXY alone", { HTTP_PROXY: "http://proxy.example:3128" }],
    [
      "the address in NO_PROXY",
      { HTTPS_PROXY: "http://proxy.example:3128", NO_PROXY: "example.com" },
    ],
    [
      "the address in no_proxy, whatever NO_PROXY has",
      { HTTPS_PROXY: "http://proxy.example:3128", no_proxy: "*", NO_PROXY: "other" },
    ],
    [
      "the address in NO_PROXY, and an HTTPS_PROXY that cannot be used",
      { HTTPS_PROXY: "not an address", NO_PROXY: "example.com" },
    ],
  ])("is not used with %s", (_name, env) => {
    expect(proxyFor(service, env)).toBeUndefined();
  });

  test.each([
    "https://127.0.0.1/v3",
    "https://127.9.8.7:5000/v3",
    "https://localhost/v3",
    "https://[::1]:5000/v3",
    "http://127.0.0.1/v3",
  ])("is not used for %s, whatever the environment says", (address) => {
    expect(
      proxyFor(new URL(address), {
        HTTPS_PROXY: "http://proxy.example:3128",
        HTTP_PROXY: "http://proxy.example:3128",
      }),
    ).toBeUndefined();
  });

  test("has its credentials decoded, and shows them nowhere", () => {
    const proxy = proxyFor(service, {
      HTTPS_PROXY: `http://us%40er:${PASSWORD_CANARY}%3A@proxy.example:3128`,
    });
    const expected = Buffer.from(`us@er:${PASSWORD_CANARY}:`).toString("base64");
    expect(proxy?.authorization?.reveal()).toBe(`Basic ${expected}`);
    expectNoCanary(proxy, [PASSWORD_CANARY, expected, "us@er"]);
  });

  test("may have a user and no password", () => {
    expect(
      proxyFor(service, { HTTPS_PROXY: "http://user@proxy.example" })?.authorization?.reveal(),
    ).toBe("Basic dXNlcjo=");
  });

  test.each([
    ["socks5://", `socks5://u:${PASSWORD_CANARY}@proxy.example`],
    ["ftp://", `ftp://u:${PASSWORD_CANARY}@proxy.example`],
    ["a path", `http://u:${PASSWORD_CANARY}@proxy.example/path`],
    ["a query", `http://u:${PASSWORD_CANARY}@proxy.example?q`],
    ["a fragment", `http://u:${PASSWORD_CANARY}@proxy.example#f`],
    ["a port above 65535", `http://u:${PASSWORD_CANARY}@proxy.example:99999`],
    ["an escape in its password that is no UTF-8", `http://u:${PASSWORD_CANARY}%ff@proxy.example`],
    ["a blank in its password", `http://u:${PASSWORD_CANARY} x@proxy.example`],
    ["a user and no host", `u:${PASSWORD_CANARY}@`],
    ["a scheme alone", "http://"],
    ["neither scheme nor host", "://"],
  ])("that has %s is an error that does not repeat it", async (_name, text) => {
    const error = await errorOf(() => proxyFor(service, { HTTPS_PROXY: text }));
    expect(error.code).toBe("ERR_PROXY_INVALID");
    expect(error.message).not.toContain("u:");
  });
});

test.each<[host: string, port: number, by: string[], notBy: string[]]>([
  [
    "keystone.example.com",
    443,
    [
      "keystone.example.com",
      "example.com",
      ".example.com",
      "*.example.com",
      "example.COM",
      "*",
      "a.test, b.test keystone.example.com",
    ],
    ["", " , ", "keystone.example.com:5000", "0.0.0.0/0", "*.*", "."],
  ],
  ["example.com", 443, [".example.com"], ["keystone.example.com"]],
  ["keystone.example.com.", 443, ["example.com"], []],
  ["keystone.example.com", 5000, ["keystone.example.com:5000"], []],
  [
    "10.1.2.3",
    443,
    ["10.1.2.3", "10.0.0.0/8", "example.com, 10.1.2.0/24"],
    ["10.1.2", "2.3", "10.1.3.0/24", "10.0.0.0/33", "10.0.0.0/", "fd00::/8"],
  ],
  ["10.1.2.3", 5000, ["10.1.2.3:5000"], []],
  ["[fd00::1]", 443, ["FD00::/8", "fd00::1"], []],
  ["[fd00::1]", 5000, ["[fd00::1]:5000"], ["[fd00::1]:443"]],
  ["[2001:db8::1]", 443, ["2001:0DB8:0:0::1", "[2001:db8::0.0.0.1]:443"], []],
  ["notexample.com", 443, [], ["example.com"]],
  ["example.com.evil.test", 443, [], ["example.com"]],
])("%s port %d is exempt by the lists of its row", (host, port, by, notBy) => {
  const exempting = [...by, ...notBy].filter((list) => isExempt(host, port, list));
  expect(exempting).toEqual(by);
});
