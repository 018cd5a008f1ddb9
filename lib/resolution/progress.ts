import type { ProgressStream } from "./options";

/** How often the seconds move on while nothing else does. */
const TICK_MS = 1_000;

/** Back to the beginning of the line, and the rest of it gone. */
const AGAIN = "\r\u001b[K";

/** One line that is rewritten, for somebody who watches. Numbers only. */
export interface Progress {
  step(): void;
  /** @param last the line that stays; none when it failed */
  end(last?: string): void;
}

/** Begins to show progress; where nobody watches, nothing is written. */
export function beginProgress(
  total: number,
  { stream, now }: { readonly stream: ProgressStream; readonly now: () => number },
): Progress {
  if (stream.isTTY !== true || total === 0) return { step: () => {}, end: () => {} };
  const started = now();
  let done = 0;
  const seconds = (): number => Math.max(0, Math.round((now() - started) / 1000));
  const show = (): unknown =>
    stream.write(`${AGAIN}Resolving tokens: ${done} of ${total} (${seconds()} s)`);
  show();
  const timer = setInterval(show, TICK_MS);
  timer.unref();
  return {
    step() {
      done++;
      show();
    },
    end(last) {
      clearInterval(timer);
      stream.write(last === undefined ? AGAIN : `${AGAIN}${last} (${seconds()} s)\n`);
    },
  };
}
