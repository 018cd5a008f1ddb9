import { closeSync } from "node:fs";
import { isatty } from "node:tty";

/**
 * Lets this process end with its own exit code although its terminal has gone (a window that was
 * closed, a connection that broke). At its end Node.js gives each terminal the settings that it
 * had, and aborts when that fails; what is closed it leaves alone.
 */
export function outliveTerminal(): void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  process.on("exit", () => {
    for (const descriptor of terminals) if (!isatty(descriptor)) close(descriptor);
  });
}

function close(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // Somebody has closed it before.
  }
}
