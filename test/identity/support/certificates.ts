import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A throw-away certificate with its key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

interface Wanted {
  readonly name: string;
  /** Host names and IPv4 addresses that it is for. */
  readonly hosts?: readonly string[];
  readonly ca?: boolean;
  readonly expired?: boolean;
}

/** A certificate authority for tests: made anew each time, in memory only. */
export class TestAuthority {
  readonly cert: string;
  readonly #key: KeyObject;
  readonly #name: string;
  #serial = 1;

  constructor(name = "Test CA") {
    this.#name = name;
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#key = privateKey;
    this.cert = this.#sign({ name, ca: true }, publicKey);
  }

  issue(wanted: Wanted): Certificate {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    return {
      cert: this.#sign(wanted, createPublicKey(privateKey)),
      key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    };
  }

  #sign(wanted: Wanted, publicKey: KeyObject): string {
    const algorithm = sequence(oid("1.2.840.10045.4.3.2"));
    const toBeSigned = sequence(
      tlv(0xa0, integer(2)),
      integer(this.#serial++),
      algorithm,
      name(this.#name),
      sequence(
        tlv(0x17, text("200101000000Z")),
        tlv(0x17, text(wanted.expired ? "210101000000Z" : "491231235959Z")),
      ),
      name(wanted.name),
      publicKey.export({ type: "spki", format: "der" }),
      tlv(0xa3, sequence(...extensions(wanted))),
    );
    const signature = sign("sha256", toBeSigned, this.#key);
    const der = sequence(toBeSigned, algorithm, tlv(0x03, Buffer.of(0), signature));
    return `-----BEGIN CERTIFICATE-----\n${der.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
  }
}

function extensions({ hosts = [], ca = false }: Wanted): Buffer[] {
  const names = hosts.map((host) =>
    /^\d+\.\d+\.\d+\.\d+$/.test(host)
      ? tlv(0x87, Buffer.from(host.split(".").map(Number)))
      : tlv(0x82, text(host)),
  );
  return [
    sequence(
      oid("2.5.29.19"),
      tlv(0x01, Buffer.of(0xff)),
      tlv(0x04, sequence(...(ca ? [tlv(0x01, Buffer.of(0xff))] : []))),
    ),
    ...(names.length === 0 ? [] : [sequence(oid("2.5.29.17"), tlv(0x04, sequence(...names)))]),
  ];
}

function tlv(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.of(tag, ...length), content]);
}

const sequence = (...parts: Uint8Array[]) => tlv(0x30, ...parts);
const integer = (value: number) => tlv(0x02, Buffer.of(value));
const text = (value: string) => Buffer.from(value, "latin1");
const name = (value: string) =>
  sequence(tlv(0x31, sequence(oid("2.5.4.3"), tlv(0x0c, Buffer.from(value)))));

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return tlv(0x06, Buffer.from(bytes));
}
