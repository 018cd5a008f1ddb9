/** Runs a limited number of operations at a time; the others wait in turn. */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async take<Value>(run: () => Promise<Value>): Promise<Value> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    try {
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }
}
