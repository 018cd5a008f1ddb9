import { nodeFor } from "../platforms/programs";

/** Node.js that runs TypeScript itself. */
export const STRIPPING = ["24.21.0", "26.10.0"].map((version) => nodeFor("linux-x64", version));
