import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import {
  bitString,
  element,
  explicit,
  generalizedTime,
  octetString,
  oid,
  sequence,
  set,
  TRUE,
  unsigned,
  utcTime,
  utf8String,
} from "./der";

/** A key and the certificate that names it, for one process. */
export interface ServerIdentity {
  readonly keyPem: string;
  readonly certificatePem: string;
  readonly certificateDer: Uint8Array;
}

const ECDSA_WITH_SHA256 = sequence(oid("1.2.840.10045.4.3.2"));
const NAME = sequence(set(sequence(oid("2.5.4.3"), utf8String("localhost"))));
/**
 * As good as for ever: the key lives in the memory of one process and its certificate is handed to
 * one client, who trusts exactly it. Dates from the clock would add nothing but failures on
 * machines whose clock is wrong.
 */
const VALIDITY = sequence(utcTime("700101000000Z"), generalizedTime("99991231235959Z"));

const DNS_NAME = 0x82;
const EXTENSIONS = sequence(
  extension("2.5.29.19", sequence(TRUE), true), // basic constraints: it is its own authority
  extension("2.5.29.15", bitString(Uint8Array.of(0x84), 2), true), // key usage: digital signature, certificate signing
  extension("2.5.29.37", sequence(oid("1.3.6.1.5.5.7.3.1"), oid("1.3.6.1.5.5.7.3.2"))), // extended: server, client
  extension("2.5.29.17", sequence(element(DNS_NAME, Buffer.from("localhost", "latin1")))), // the name that go-plugin asks for
);

/** Makes a P-256 key and a self-signed certificate for `localhost`. */
export function createServerIdentity(): ServerIdentity {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const toBeSigned = sequence(
    explicit(0, unsigned(Uint8Array.of(2))), // version 3
    unsigned(serialNumber()),
    ECDSA_WITH_SHA256,
    NAME, // issuer
    VALIDITY,
    NAME, // subject
    publicKey.export({ type: "spki", format: "der" }),
    explicit(3, EXTENSIONS),
  );
  const certificateDer = sequence(
    toBeSigned,
    ECDSA_WITH_SHA256,
    bitString(sign("sha256", toBeSigned, privateKey)),
  );
  return {
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    certificatePem: toPem(certificateDer),
    certificateDer,
  };
}

function extension(id: string, value: Uint8Array, critical = false): Uint8Array {
  return critical
    ? sequence(oid(id), TRUE, octetString(value))
    : sequence(oid(id), octetString(value));
}

/** Positive and never zero. */
function serialNumber(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function toPem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
