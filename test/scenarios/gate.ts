import type { Intercept } from "../../lib/testing";

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

  readonly intercept: Intercept = async (_request, serve) => {
    const held = this.#held;
    this.#held = undefined;
    held?.come();
    await held?.released;
    return serve();
  };
}
