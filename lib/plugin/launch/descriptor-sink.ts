import { writeSync } from "node:fs";

/** Takes whole lines. */
export interface DescriptorSink {
  /** @returns false when nobody is left to read it */
  write(text: string): boolean;
}

/**
 * Writes to a file descriptor at once and without a stream: `process.stdout` costs more than a
 * millisecond to make, and a reader that is gone (Terraform was killed) must not bring the process
 * down.
 */
export function descriptorSink(descriptor: number): DescriptorSink {
  return {
    write: (text) => {
      try {
        writeSync(descriptor, text);
        return true;
      } catch {
        return false;
      }
    },
  };
}
