import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { signCertificate, toPem } from "../../../lib/plugin/tls/x509";

/** A throw-away certificate with its key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

interface Wanted {
  readonly name: string;
  /** Host names and IPv4 addresses that it is for. */
  readonly hosts?: readonly string[];
}

/** A certificate authority for tests: new each time, only in memory. */
export class TestAuthority {
  readonly cert: string;
  readonly #key: KeyObject;
  readonly #name: string;

  constructor(name = "Test CA") {
    this.#name = name;
    const { publicKey, privateKey } = newKeys();
    this.#key = privateKey;
    this.cert = this.#sign({ name }, publicKey, true);
  }

  issue(wanted: Wanted): Certificate {
    const { publicKey, privateKey } = newKeys();
    return {
      cert: this.#sign(wanted, publicKey, false),
      key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    };
  }

  #sign({ name, hosts = [] }: Wanted, publicKey: KeyObject, authority: boolean) {
    return toPem(
      signCertificate({
        subject: name,
        issuer: this.#name,
        publicKey,
        signingKey: this.#key,
        notBefore: new Date("2020-01-01T00:00:00Z"),
        notAfter: new Date("2049-12-31T23:59:59Z"),
        authority,
        hosts,
      }),
    );
  }
}

const newKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
