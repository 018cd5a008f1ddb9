/** Garbage that is worth a collection, in bytes: about what a few hundred opened tokens leave. */
const WORTH_IT = 4 * 1024 * 1024;

/**
 * Collects garbage while no Terraform is connected, when enough has come together. The provider of
 * a long pipeline would else grow by tens of megabytes before Node.js sees a reason to, since it
 * takes the machine's whole memory for its own.
 *
 * @param collect by default that of `node --expose-gc`; without it nothing is done
 * @param heapUsed bytes in use, garbage included
 */
export function idleCollector(
  collect: (() => void) | undefined = globalThis.gc,
  heapUsed: () => number = () => process.memoryUsage().heapUsed,
): () => void {
  let after = heapUsed();
  return () => {
    if (collect === undefined || heapUsed() - after < WORTH_IT) return;
    collect();
    after = heapUsed();
  };
}
