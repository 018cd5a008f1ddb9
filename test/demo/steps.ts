/** Width of the text of a step: with its time the line fits into 80 columns. */
const TEXT_WIDTH = 66;

/** Ends the demo when an expectation fails. */
export function expectThat(condition: boolean, what: string): void {
  if (!condition) throw new Error(`This is not so: ${what}.`);
}

/** Prints a story: one line a step, with the time it took. */
export class Steps {
  readonly #started = performance.now();
  readonly #colour = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;

  title(text: string): void {
    console.log(`\n${this.#bold(text)}`);
  }

  /** Runs one step and prints its line; a failing step gets a cross, and its error goes on. */
  async run<T>(text: string, step: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      const result = await step();
      this.#line("✔", text, started);
      return result;
    } catch (error) {
      this.#line("✘", text, started);
      throw error;
    }
  }

  detail(text: string): void {
    console.log(`      ${text}`);
  }

  total(): string {
    return seconds(performance.now() - this.#started);
  }

  #line(mark: string, text: string, started: number): void {
    console.log(
      `  ${mark} ${text.padEnd(TEXT_WIDTH)} ${seconds(performance.now() - started).padStart(7)}`,
    );
  }

  #bold(text: string): string {
    return this.#colour ? `\u001b[1m${text}\u001b[0m` : text;
  }
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
