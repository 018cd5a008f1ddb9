/** A map of limited size: the least recently used entry is dropped first. */
export class RecentMap<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    // A map keeps the order of insertion: inserted again, an entry is the newest.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#limit && oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  deleteWhere(isGone: (value: Value) => boolean): void {
    for (const [key, value] of this.#entries) if (isGone(value)) this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
