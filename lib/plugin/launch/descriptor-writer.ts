import { writeSync } from "node:fs";
import { quietly } from "../quietly";

/** Writes whole lines. @returns false if there is no reader any more */
export type Write = (text: string) => boolean;

/**
 * Writes to a file descriptor immediately and without a stream: creating `process.stdout` takes
 * more than a millisecond, and if the reader has gone (Terraform was killed), the process must not
 * end with an error.
 */
export const descriptorWriter =
  (descriptor: number): Write =>
  (text) =>
    quietly(() => writeSync(descriptor, text)) !== undefined;
