import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";
import { bits, der, integer, objectId, octets, sequence, time, truth } from "./der";

/** A certificate that nobody trusts but who is handed its CA. PEM texts. */
export interface ThrowAwayCertificate {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  /** For a client, of the same CA. */
  readonly client: ClientCertificate;
  /** Certificates of the same CA and key that no client may accept: for faults. */
  readonly faulty: FaultyCertificates;
}

/** What a client shows, as PEM texts. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** What is wrong with a certificate, and the certificate. */
export interface FaultyCertificates {
  readonly expired: string;
  readonly not_yet_valid: string;
  readonly wrong_name: string;
}

const ECDSA_WITH_SHA256 = sequence(objectId("1.2.840.10045.4.3.2"));
const HOUR = 3_600_000;

/**
 * Makes a CA and a server certificate for 127.0.0.1, localhost and the given host, valid for a day.
 *
 * The CA's key is thrown away at once. The machine's clock counts here, never an injected one:
 * clients check by theirs.
 */
export function makeThrowAwayCertificate(host = "localhost"): ThrowAwayCertificate {
  const authority = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const server = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ca = issue("Throw-away test CA", authority.publicKey, authority.privateKey, [
    extension("2.5.29.19", sequence(truth()), true),
    // keyCertSign
    extension("2.5.29.15", bits(Buffer.from([0x04]), 2), true),
  ]);
  const names = [...new Set(["localhost", host])].filter(
    (name) => !/^[\d.:]+$/.test(name) && !name.includes(":"),
  );
  const addresses = [...new Set(["127.0.0.1", ...(isIPv4(host) ? [host] : [])])];
  const own = [
    ...names.map((name) => der(0x82, Buffer.from(name))),
    ...addresses.map((address) => der(0x87, Buffer.from(address.split(".").map(Number)))),
    der(0x87, Buffer.concat([Buffer.alloc(15), Buffer.from([1])])),
  ];
  const issueServer = (alternativeNames: readonly Buffer[], validity?: Validity) =>
    issue(
      "Embedded identity service",
      server.publicKey,
      authority.privateKey,
      [
        extension("2.5.29.37", sequence(objectId("1.3.6.1.5.5.7.3.1"))),
        extension("2.5.29.17", sequence(...alternativeNames)),
      ],
      validity,
    );
  const client = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ofClient = issue("Throw-away test client", client.publicKey, authority.privateKey, [
    extension("2.5.29.37", sequence(objectId("1.3.6.1.5.5.7.3.2"))),
  ]);
  return {
    ca: toPem(ca),
    certificate: toPem(issueServer(own)),
    key: server.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    client: {
      certificate: toPem(ofClient),
      key: client.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    },
    faulty: {
      expired: toPem(issueServer(own, { fromHours: -48, untilHours: -24 })),
      not_yet_valid: toPem(issueServer(own, { fromHours: 24, untilHours: 48 })),
      wrong_name: toPem(issueServer([der(0x82, Buffer.from("elsewhere.invalid"))])),
    },
  };
}

/** Hours from now. */
interface Validity {
  readonly fromHours: number;
  readonly untilHours: number;
}

function issue(
  subject: string,
  publicKey: KeyObject,
  signingKey: KeyObject,
  extensions: readonly Buffer[],
  { fromHours, untilHours }: Validity = { fromHours: -1, untilHours: 24 },
): Buffer {
  const now = Date.now();
  const toBeSigned = sequence(
    // Version 3.
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    commonName("Throw-away test CA"),
    sequence(time(new Date(now + fromHours * HOUR)), time(new Date(now + untilHours * HOUR))),
    commonName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  return sequence(toBeSigned, ECDSA_WITH_SHA256, bits(sign("sha256", toBeSigned, signingKey)));
}

function commonName(text: string): Buffer {
  return sequence(der(0x31, sequence(objectId("2.5.4.3"), der(0x0c, Buffer.from(text)))));
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(objectId(id), ...(critical ? [truth()] : []), octets(value));
}

function toPem(certificate: Buffer): string {
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
