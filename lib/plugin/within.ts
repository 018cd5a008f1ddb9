/** The result of some work, or that of `late` (which may throw) if the work takes longer. */
export async function within<Value>(
  milliseconds: number,
  work: Value | Promise<Value>,
  late: () => Value,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  try {
    return await Promise.race([work, timeout.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
