import { writeSync } from "node:fs";

/** A target for whole lines. */
export interface DescriptorSink {
  /** @returns false if there is no reader any more */
  write(text: string): boolean;
}

/**
 * Writes to a file descriptor immediately and without a stream: creating `process.stdout` takes
 * more than a millisecond, and if the reader has gone (Terraform was killed), the process must not
 * end with an error.
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
