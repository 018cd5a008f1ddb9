/** Processor time that one turn of the event loop may take, in milliseconds. */
const TURN_MS = 5_000;
const BEAT_MS = 250;

/** Its source is evaluated in a thread of its own: it refers to nothing outside of itself. */
function watchFromThread(): void {
  const { workerData } = require("node:worker_threads") as typeof import("node:worker_threads");
  const { beatMs, turnMs } = workerData;
  const beats: Int32Array = workerData.beats;
  let seen = -1;
  let start = 0;
  setInterval(() => {
    // The time of the whole process.
    const { user, system } = process.cpuUsage();
    const now = Atomics.load(beats, 0);
    if (now !== seen) {
      seen = now;
      start = user + system;
    } else if (user + system - start > turnMs * 1_000) process.kill(process.pid, "SIGKILL");
  }, beatMs * 2);
}

let watched = false;

/**
 * Ends this process when one turn of its event loop takes more than five seconds of processor time.
 * Until then it neither notices that Terraform has gone, nor handles SIGTERM, nor serves others.
 * Only another thread can do that: no other code of this process runs. A wait for a file, or a
 * machine that sleeps or is overloaded, takes no processor time and does not count.
 *
 * The thread costs up to a hundred milliseconds of processor time and ten megabytes: too much for a
 * process that ends soon, and has only read short arguments. There is none on Windows, where the
 * launcher ends the process after Terraform.
 */
export function watchEventLoop(turnMs = TURN_MS): void {
  if (watched || process.platform === "win32") return;
  watched = true;
  try {
    const { Worker } = require("node:worker_threads") as typeof import("node:worker_threads");
    const beats = new Int32Array(new SharedArrayBuffer(4));
    const thread = new Worker(`(${watchFromThread})()`, {
      eval: true,
      workerData: { beats, beatMs: BEAT_MS, turnMs },
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
    });
    // Without it, the process works as before.
    thread.on("error", () => {});
    thread.unref();
    setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
  } catch {
    // No more threads, or a replacement of Node.js without them.
  }
}
