import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as tls from "node:tls";
import { createSecureContext, type TlsOptions } from "node:tls";
import type { IdentityClientOptions, TlsMaterial } from "../../../lib/identity";
import { connected, secured } from "../../../lib/identity/transport/connector";
import { Secret } from "../../../lib/tokens";
import { useScratch } from "../../support/scratch";
import { testIf } from "../../support/skips";
import { at, clientWith, LOOPBACK, serverWith } from "../support/against";
import { AUTHORITY, NAMES, STRANGER } from "../support/certificates";
import { errorOf, idle, withChecks } from "../support/wanted";

const { server: good, client: ours } = AUTHORITY;
const RIGHT = "IP:127.0.0.1,IP:192.0.2.1";
const KEY_CANARY = "CANARY-key-51bd";

/** Gets a token over TLS. */
async function obtain(
  secure: TlsOptions,
  tls: TlsMaterial,
  env: IdentityClientOptions["env"] = {},
) {
  const server = await serverWith(undefined, secure);
  return clientWith({ env, limits: { totalMs: 0 } }).obtain(at(server, { tls }), idle());
}

const scratch = useScratch("block");

// The dot at the end is that of a full name, which the address of a proxy may have.
test.each([
  ["127.0.0.1", []],
  ["localhost", ["localhost"]],
  ["proxy.example.test.", ["proxy.example.test"]],
])("the handshake with %s names %j, and the protocol", async (host, names) => {
  const named: string[] = [];
  const spoken: (readonly string[])[] = [];
  const { port } = await serverWith(undefined, {
    ...good,
    SNICallback: (name, done) => {
      named.push(name);
      done(null);
    },
    ALPNCallback: ({ protocols }) => {
      spoken.push(protocols);
      return protocols[0];
    },
  });
  const plain = await connected({ host, port }, LOOPBACK, idle());
  const context = createSecureContext({ ca: AUTHORITY.ca });
  (await secured(plain, host, context, idle())).destroy();
  expect(named).toEqual(names);
  expect(spoken).toEqual([["http/1.1"]]);
});

describe("the service's certificate", () => {
  test("is accepted when one of several given CAs made it", async () => {
    await obtain(good, { ca: `# a comment\n${STRANGER.ca}\n${AUTHORITY.ca}` });
  });

  test.each([
    ["the root", NAMES.root],
    ["an intermediate CA", NAMES.intermediate],
    ["the service's own certificate", NAMES.certificates[RIGHT]],
  ])("is accepted when %s is given as the CA", async (_what, ca) => {
    const cert = NAMES.certificates[RIGHT] + NAMES.intermediate;
    await obtain({ cert, key: NAMES.key }, { ca });
  });

  test("is checked although NODE_TLS_REJECT_UNAUTHORIZED says otherwise", async () => {
    const obtaining = withChecks("0", () => obtain(good, {}));
    expect((await errorOf(obtaining)).code).toBe("ERR_TLS_FAILED");
  });
});

describe("extra certificates", () => {
  const file = (name: string, content: string) => {
    const path = join(scratch.folder, name);
    writeFileSync(path, content);
    return path;
  };

  test("are trusted in addition to the public ones, and to the given CA", async () => {
    const env = { IAM_TOKENS_EXTRA_CA_CERTS: file("extra.pem", AUTHORITY.ca) };
    await obtain(good, {}, env);
    await obtain(good, { ca: STRANGER.ca }, env);
  });

  test("of SSL_CERT_FILE are trusted in addition to the public ones, not to the given CA", async () => {
    const env = { SSL_CERT_FILE: file("shared.pem", AUTHORITY.ca) };
    await obtain(good, {}, env);
    const error = await errorOf(obtain(good, { ca: STRANGER.ca }, env));
    expect(error.code).toBe("ERR_TLS_FAILED");
  });

  testIf(!("getCACertificates" in tls), "this Node.js reports the system's")(
    "of the operating system are said to need a newer Node.js",
    async () => {
      const error = await errorOf(obtain(good, {}, { NODE_USE_SYSTEM_CA: "1" }));
      expect(error.message).toContain("this Node.js is older than 22.15.");
    },
  );

  test.each([
    { state: "is not there", path: () => join(scratch.folder, "missing.pem") },
    { state: "is a folder", path: () => scratch.folder },
    { state: "has no certificate", path: () => file("empty.pem", "nothing") },
  ])(
    "in a file that $state are ignored, and reported only if the connection fails",
    async ({ path }) => {
      const env = { IAM_TOKENS_EXTRA_CA_CERTS: path(), SSL_CERT_FILE: path() };
      await obtain(good, { ca: AUTHORITY.ca }, env);
      const error = await errorOf(obtain(good, {}, env));
      expect(error.code).toBe("ERR_TLS_FAILED");
      for (const setting of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"])
        expect(error.message).toContain(
          `The file "${path()}" of ${setting} has no readable PEM certificates.`,
        );
    },
  );
});

describe("our certificate", () => {
  test("is presented to a service that requests it, and may refuse it without a word", async () => {
    const tls = { ca: AUTHORITY.ca, cert: ours.cert, key: Secret.of(ours.key) };
    await obtain({ ...good, ca: AUTHORITY.ca, requestCert: true }, tls);
    const error = await errorOf(obtain({ ...good, ca: STRANGER.ca, requestCert: true }, tls));
    expect(error.message).toContain("may refuse the client certificate");
  });

  test.each<[string, TlsMaterial]>([
    ["a CA that is not PEM", { ca: KEY_CANARY }],
    [
      "a CA that is broken",
      { ca: `-----BEGIN CERTIFICATE-----\n${KEY_CANARY}\n-----END CERTIFICATE-----` },
    ],
    ["a certificate without key", { cert: ours.cert }],
    ["a key of another certificate", { cert: ours.cert, key: Secret.of(good.key) }],
    ["a certificate that is not PEM", { cert: KEY_CANARY, key: Secret.of(ours.key) }],
  ])("%s is an error, before anything is sent", async (_name, tls) => {
    const error = await errorOf(obtain(good, tls));
    expect(error.code).toBe("ERR_CERTIFICATE_INVALID");
    expect(error.message).not.toContain(KEY_CANARY);
    expect(error.cause).toBeUndefined();
  });
});
