/** The launches that are served, by the certificate of their clients. */
export class Launches {
  /** Functions that let each launched process end, by the certificate in base64. */
  readonly #ends = new Map<string, () => void>();

  get count(): number {
    return this.#ends.size;
  }

  add(certificate: Uint8Array, end: () => void): void {
    this.#ends.set(keyOf(certificate), end);
  }

  isClient(certificate: Uint8Array): boolean {
    return this.#ends.has(keyOf(certificate));
  }

  /** Lets this client's launched process end; its client cannot connect again. */
  end(certificate: Uint8Array | undefined): void {
    const key = keyOf(certificate ?? "");
    this.#ends.get(key)?.();
    this.#ends.delete(key);
  }
}

const keyOf = (certificate: Uint8Array | string): string =>
  Buffer.from(certificate).toString("base64");
