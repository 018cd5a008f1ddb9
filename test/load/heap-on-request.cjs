// Loaded before the attached provider: on a message "heap" it collects all garbage, and answers with
// the bytes that are left.
process.on("message", ({ type }) => {
  if (type !== "heap") return;
  global.gc();
  // What the first collection has made unreachable, such as the memory of a finalized buffer.
  setImmediate(() => {
    global.gc();
    const { heapUsed, external } = process.memoryUsage();
    process.send({ type, bytes: heapUsed + external });
  });
});
