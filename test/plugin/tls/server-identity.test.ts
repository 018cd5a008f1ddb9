import { createPublicKey, X509Certificate } from "node:crypto";
import { createServerIdentity, toPem } from "../../../lib/plugin/tls/server-identity";

test("a server's certificate is its own authority, for localhost, in both directions, without an end", () => {
  const { certificateDer, certificatePem, keyPem } = createServerIdentity();
  const certificate = new X509Certificate(certificateDer);
  expect(certificate).toMatchObject({
    ca: true,
    subject: "CN=localhost",
    issuer: "CN=localhost",
    subjectAltName: "DNS:localhost",
    validFrom: "Jan  1 00:00:00 1970 GMT",
    validTo: "Dec 31 23:59:59 9999 GMT",
    keyUsage: ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"],
    serialNumber: expect.stringMatching(/^4[0-9A-F]{31}$/),
  });
  expect(certificate.verify(createPublicKey(keyPem))).toBe(true);
  expect(new X509Certificate(certificatePem).raw).toEqual(certificate.raw);
  expect(new X509Certificate(createServerIdentity().certificateDer).serialNumber).not.toBe(
    certificate.serialNumber,
  );
});

test("PEM of any length is without an empty line, which OpenSSL would not read", () => {
  for (let length = 40; length <= 104; length += 1)
    expect(toPem(Buffer.alloc(length))).toMatch(
      /^-----BEGIN CERTIFICATE-----\n([\w+/=]{1,64}\n)+-----END CERTIFICATE-----\n$/,
    );
});
