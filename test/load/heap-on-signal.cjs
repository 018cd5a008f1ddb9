// Loaded before the attached provider: at SIGUSR2, sends the bytes that are left after a collection
// of all garbage.
process.on("SIGUSR2", () => {
  global.gc();
  // What the first collection has made unreachable, such as the memory of a finalized buffer.
  setImmediate(() => {
    global.gc();
    const { heapUsed, external } = process.memoryUsage();
    process.send(heapUsed + external);
  });
});
