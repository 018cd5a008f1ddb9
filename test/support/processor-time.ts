/**
 * Milliseconds of processor time that some work takes. They do not grow on a busy machine, unlike
 * time on the clock.
 */
export async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return process.cpuUsage(before).user / 1000;
}
