import { cacheFolder, runTool } from "./cache";
import { packageRoot } from "./project";

export interface ArchiveOptions {
  readonly platforms?: readonly string[];
  /** Of compression. @default 0, which saves five minutes of the processor for all platforms */
  readonly level?: number;
}

/**
 * Packs the provider with Node.js for registries and mirrors into a folder, with the sums and, with
 * a key of gpg, their signature.
 */
export function packArchives(
  folder: string,
  { env, level = 0, ...more }: ArchiveOptions & { key?: string; env?: NodeJS.ProcessEnv } = {},
): void {
  const options = JSON.stringify({ ...more, level, cache: cacheFolder() });
  const program = `import { packRegistry } from "./lib/build/registry.mjs";
await packRegistry(${JSON.stringify(folder)}, ${options});`;
  runTool(process.execPath, ["--input-type=module", "-e", program], packageRoot, env);
}
