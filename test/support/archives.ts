import { cacheFolder, runTool } from "./cache";
import { packageRoot } from "./project";

/**
 * Packs the provider with Node.js for registries and mirrors into a folder, with the sums and, with
 * a key of gpg, their signature. Without compression: that saves five minutes of the processor.
 */
export function packArchives(
  folder: string,
  { env, ...more }: { platforms?: readonly string[]; key?: string; env?: NodeJS.ProcessEnv } = {},
): void {
  const options = JSON.stringify({ ...more, level: 0, cache: cacheFolder() });
  const program = `import { packRegistry } from "./lib/build/registry.mjs";
await packRegistry(${JSON.stringify(folder)}, ${options});`;
  runTool(process.execPath, ["--input-type=module", "-e", program], packageRoot, env);
}
