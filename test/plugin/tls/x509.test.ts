import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  X509Certificate,
} from "node:crypto";
import { createServerIdentity } from "../../../lib/plugin/tls/server-identity";
import { signCertificate, toPem } from "../../../lib/plugin/tls/x509";

const authority = generateKeyPairSync("ec", { namedCurve: "P-256" });
const server = generateKeyPairSync("ec", { namedCurve: "P-256" });
const validity = {
  notBefore: new Date("2020-01-02T03:04:05Z"),
  notAfter: new Date("2050-01-02T03:04:05Z"),
};

function issue(contents: Partial<Parameters<typeof signCertificate>[0]>): X509Certificate {
  return new X509Certificate(
    toPem(
      signCertificate({
        subject: "server",
        issuer: "authority",
        publicKey: server.publicKey,
        signingKey: authority.privateKey,
        ...validity,
        ...contents,
      }),
    ),
  );
}

test("an authority signs itself, and others", () => {
  const root = issue({ subject: "authority", publicKey: authority.publicKey, authority: true });
  const leaf = issue({});
  expect([root.ca, leaf.ca]).toEqual([true, false]);
  expect(root.verify(authority.publicKey)).toBe(true);
  expect(leaf.checkIssued(root) && leaf.verify(authority.publicKey)).toBe(true);
  expect(leaf.verify(server.publicKey)).toBe(false);
});

test("has the given names, usages, and dates on both sides of 2050", () => {
  const certificate = issue({
    hosts: ["localhost", "127.0.0.1", "::1", "2001:db8::a:ff"],
    usages: ["server", "client"],
  });
  expect(certificate.subjectAltName).toBe(
    "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:0:0:A:FF",
  );
  expect([certificate.subject, certificate.issuer]).toEqual(["CN=server", "CN=authority"]);
  expect(new Date(certificate.validFrom)).toEqual(validity.notBefore);
  expect(new Date(certificate.validTo)).toEqual(validity.notAfter);
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
});

test("no two certificates have the same serial number", () => {
  expect(issue({}).serialNumber).not.toBe(issue({}).serialNumber);
});

test("writes a certificate of any length as PEM without an empty line, which OpenSSL would not read", () => {
  for (let length = 1; length <= 64; length++) {
    const subject = "s".repeat(length);
    expect(issue({ subject }).subject).toBe(`CN=${subject}`);
  }
});

test("a server's certificate is the one that this would make", () => {
  const { certificateDer, keyPem } = createServerIdentity();
  const key = createPrivateKey(keyPem);
  const made = signCertificate({
    subject: "localhost",
    issuer: "localhost",
    publicKey: createPublicKey(key),
    signingKey: key,
    notBefore: new Date(0),
    notAfter: new Date("9999-12-31T23:59:59Z"),
    authority: true,
    usages: ["server", "client"],
    hosts: ["localhost"],
  });
  // Up to the signature, whose length may differ; each has a serial number of its own.
  const common = (der: Uint8Array) => Buffer.from(der.subarray(4, 314)).fill(0, 11, 27);
  expect(common(certificateDer)).toEqual(common(made));
  const certificate = new X509Certificate(certificateDer);
  expect(certificate.verify(createPublicKey(key))).toBe(true);
  expect(certificate.serialNumber).toMatch(/^4[0-9A-F]{31}$/);
});
