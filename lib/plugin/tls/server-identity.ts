import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A key and its certificate, for one process. */
export interface ServerIdentity {
  readonly keyPem: string;
  readonly certificatePem: string;
  readonly certificateDer: Uint8Array;
}

// A certificate for `localhost`, 127.0.0.1 and ::1, apart from what is new in each: serial number,
// key and signature. As bytes, because Terraform waits while a process makes its certificate, and
// one that is put together field by field takes two milliseconds more.
// Practically without an end: the key lives in the memory of one process, and its certificate is
// passed to one client, who trusts only this one. Dates from the clock would only cause failures on
// machines with a wrong clock.
const BEFORE_SERIAL = "3082013ea00302010202104";
const BEFORE_KEY =
  "300a06082a8648ce3d04030230143112301006035504030c096c6f63616c686f737430" +
  "20170d3730303130313030303030305a180f39393939313233313233353935395a" +
  "30143112301006035504030c096c6f63616c686f7374";
const AFTER_KEY =
  "a370306e300f0603551d130101ff040530030101ff300e0603551d0f0101ff0404030202" +
  "84301d0603551d250416301406082b0601050507030106082b06010505070302302c0603" +
  "551d1104253023" +
  "82096c6f63616c686f7374" +
  "87047f000001" +
  "871000000000000000000000000000000001";
const BEFORE_SIGNATURE = "300a06082a8648ce3d040302";

/** Makes a P-256 key and a self-signed certificate for this machine's own names. */
export function createServerIdentity(): ServerIdentity {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const toBeSigned = Buffer.concat([
    // The serial number begins with a 4: it is positive and has a fixed length.
    Buffer.from(BEFORE_SERIAL + randomBytes(16).toString("hex").slice(1), "hex"),
    Buffer.from(BEFORE_KEY, "hex"),
    publicKey.export({ type: "spki", format: "der" }),
    Buffer.from(AFTER_KEY, "hex"),
  ]);
  const signature = sign("sha256", toBeSigned, privateKey);
  const rest = Buffer.concat([
    toBeSigned,
    Buffer.from(BEFORE_SIGNATURE, "hex"),
    // A string of bits, none of them unused.
    Buffer.of(0x03, signature.length + 1, 0),
    signature,
  ]);
  const head = Buffer.of(0x30, 0x82, rest.length >> 8, rest.length & 0xff);
  const certificateDer = Buffer.concat([head, rest]);
  return {
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    certificatePem: toPem(certificateDer),
    certificateDer,
  };
}

/** A certificate as PEM. */
export function toPem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
