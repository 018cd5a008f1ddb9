import { loadPart } from "./load-part";

/**
 * Loads what reads clouds.yaml. Here, and nowhere else: the bundle keeps it, with its YAML library,
 * in a file of its own (`clouds.cjs`), as most users have no clouds.yaml.
 *
 * @throws ERR_PROVIDER_FILES_MISSING when the file is not there
 */
export function loadClouds(): typeof import("./clouds") {
  return loadPart("reads clouds.yaml", () => require("./clouds") as typeof import("./clouds"));
}
