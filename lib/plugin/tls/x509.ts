import { type KeyObject, randomBytes, sign } from "node:crypto";

/** A certificate of a P-256 key, signed by another one or by itself. Imports nothing of ours. */
export interface CertificateContents {
  readonly subject: string;
  /** The subject of the certificate that signs. */
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Whether it may sign others; with basic constraints and key usage for this. */
  readonly authority?: boolean;
  readonly usages?: readonly ("server" | "client")[];
  /** Host names, IPv4 and IPv6 addresses for which it is valid. */
  readonly hosts?: readonly string[];
}

const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
const COMMON_NAME = "2.5.4.3";
const USAGES = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" };

/** @returns the certificate in DER */
export function signCertificate(contents: CertificateContents): Buffer {
  const { publicKey, signingKey, notBefore, notAfter } = contents;
  const algorithm = sequence(oid(ECDSA_WITH_SHA256));
  const toBeSigned = sequence(
    explicit(0, integer(Buffer.of(2))), // version 3
    integer(serialNumber()),
    algorithm,
    name(contents.issuer),
    sequence(time(notBefore), time(notAfter)),
    name(contents.subject),
    publicKey.export({ type: "spki", format: "der" }),
    explicit(3, sequence(...extensions(contents))),
  );
  return sequence(toBeSigned, algorithm, bitString(sign("sha256", toBeSigned, signingKey)));
}

export function toPem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function extensions({ authority = false, usages = [], hosts = [] }: CertificateContents): Buffer[] {
  const found: Buffer[] = [];
  if (authority) {
    found.push(extension("2.5.29.19", sequence(TRUE), true)); // basic constraints
    // Key usage: digital signature, certificate signing.
    found.push(extension("2.5.29.15", bitString(Buffer.of(0x84), 2), true));
  }
  if (usages.length > 0)
    found.push(extension("2.5.29.37", sequence(...usages.map((usage) => oid(USAGES[usage])))));
  if (hosts.length > 0) found.push(extension("2.5.29.17", sequence(...hosts.map(alternativeName))));
  return found;
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [TRUE] : []), element(0x04, value));
}

function alternativeName(host: string): Buffer {
  if (/^[\d.]+$/.test(host)) return element(0x87, Buffer.from(host.split(".").map(Number)));
  return host.includes(":") ? element(0x87, ipv6(host)) : element(0x82, Buffer.from(host));
}

function ipv6(address: string): Buffer {
  const [front = [], back = []] = address
    .split("::")
    .map((part) => part.match(/[\da-f]+/gi)?.map((group) => Number.parseInt(group, 16)));
  const bytes = Buffer.alloc(16);
  for (const [index, group] of front.entries()) bytes.writeUInt16BE(group, 2 * index);
  for (const [index, group] of back.entries())
    bytes.writeUInt16BE(group, 16 - 2 * (back.length - index));
  return bytes;
}

function name(text: string): Buffer {
  return sequence(element(0x31, sequence(oid(COMMON_NAME), element(0x0c, Buffer.from(text)))));
}

/** Positive, never zero, and without a leading zero. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

// Distinguished Encoding Rules: tag, length, content.

function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const size = content.length;
  // Lengths below 128 are one byte; longer ones are preceded by the count of their bytes.
  const length =
    size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.of(tag, ...length), content]);
}

const sequence = (...items: readonly Uint8Array[]): Buffer => element(0x30, ...items);
const explicit = (tag: number, content: Uint8Array): Buffer => element(0xa0 | tag, content);
const integer = (positive: Uint8Array): Buffer => element(0x02, positive);
const TRUE = /* @__PURE__ */ Buffer.of(0x01, 0x01, 0xff);

function bitString(content: Uint8Array, unusedBits = 0): Buffer {
  return element(0x03, Buffer.of(unusedBits), content);
}

/** GeneralizedTime is only for years from 2050 on. */
function time(date: Date): Buffer {
  const text = `${date.toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(text.slice(2)))
    : element(0x18, Buffer.from(text));
}

/** An object identifier from its dotted form. */
function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(arc: number): number[] {
  const digits = [arc & 0x7f];
  for (let rest = arc >> 7; rest > 0; rest >>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
}
