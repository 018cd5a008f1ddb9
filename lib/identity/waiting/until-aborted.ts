import { cancelledError } from "../../tokens";

/**
 * The rule of this room: whoever waits, for an operation that others share, for the test of a
 * credential or for a turn, stops when its own signal is aborted, and nobody else does.
 *
 * @throws ERR_CANCELLED when `signal` is aborted, or what the work throws
 */
export async function untilAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(cancelledError());
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
