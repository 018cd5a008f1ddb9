/** A launch that is served: whoever may let the launched process go. */
export interface Launch {
  release(): void;
}

/** The launches that are served, by the certificate of the one client that each is for. */
export class Launches {
  readonly #byCertificate = new Map<string, Launch>();

  /** How many there are that have not ended. */
  get size(): number {
    return this.#byCertificate.size;
  }

  add(certificate: Uint8Array, launch: Launch): void {
    this.#byCertificate.set(keyOf(certificate), launch);
  }

  has(certificate: Uint8Array): boolean {
    return this.#byCertificate.has(keyOf(certificate));
  }

  /** Lets the launched process of this client go; its client cannot come again. */
  release(certificate: Uint8Array): void {
    const key = keyOf(certificate);
    this.#byCertificate.get(key)?.release();
    this.#byCertificate.delete(key);
  }
}

function keyOf(certificate: Uint8Array): string {
  return Buffer.from(certificate).toString("base64");
}
