import { nameOf, tlsFilesBy } from "../../../lib/provider/credentials/credential-description";

test.each<[Parameters<typeof nameOf>[0], string]>([
  [{ way: "password", accountId: "1", userName: "deployer" }, "deployer"],
  [{ way: "application credential", by: { id: "a1" } }, "a1"],
  [
    { way: "application credential", by: { name: "ci", userName: "deployer" }, accountId: "1" },
    "deployer/ci",
  ],
  [
    { way: "identity token", accountId: "1", identityProvider: "github", protocol: "openid" },
    "github/openid",
  ],
])("%j signs in under the name %s", (subject, name) => {
  expect(nameOf(subject)).toBe(name);
});

const filesOf = (given: Readonly<Record<string, string>>) =>
  tlsFilesBy(["ca", "cert", "key"], (name) => {
    const path = given[name];
    return path === undefined ? undefined : { path, origin: name };
  });

describe("the files for TLS of a source", () => {
  test("are none, a CA, a certificate with its key, or all", () => {
    const ca = { path: "1", origin: "ca" };
    const pair = { cert: { path: "2", origin: "cert" }, key: { path: "3", origin: "key" } };
    expect(filesOf({})).toStrictEqual({});
    expect(filesOf({ ca: "1" })).toStrictEqual({ caFile: ca });
    expect(filesOf({ cert: "2", key: "3" })).toStrictEqual({ clientCertificate: pair });
    expect(filesOf({ ca: "1", cert: "2", key: "3" })).toStrictEqual({
      caFile: ca,
      clientCertificate: pair,
    });
  });

  test.each([
    { given: { cert: "2" }, problem: "cert is given without key." },
    { given: { key: "3" }, problem: "key is given without cert." },
  ])("are refused as $given", ({ given, problem }) => {
    expect(() => filesOf(given)).toThrow(
      expect.objectContaining({ code: "ERR_CERTIFICATE_INVALID", problem }),
    );
  });
});
