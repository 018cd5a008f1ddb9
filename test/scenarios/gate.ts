/** Holds the answer to the next request for a token, until it is let go. */
export class Gate {
  #held: { readonly come: () => void; readonly released: Promise<void> } | undefined;

  /** @returns a promise of the request's arrival, and a function that lets the request go on */
  holdNext(): { readonly come: Promise<void>; readonly letGo: () => void } {
    let letGo = (): void => {};
    const released = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const come = new Promise<void>((resolve) => {
      this.#held = { come: resolve, released };
    });
    return { come, letGo };
  }

  async pass(signal: AbortSignal): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    held.come();
    await Promise.race([
      held.released,
      new Promise((resolve) => signal.addEventListener("abort", resolve)),
    ]);
  }
}
