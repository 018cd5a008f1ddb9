import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildProgram, cachedProgram, type GoProgram } from "./go-build";
import { packageRoot } from "./project";

const SOURCE = join(packageRoot, "test/programs/recipes/openstack-container.go");

/**
 * The program in openstack-container.go, built in the module that signs in for the OpenStack
 * provider: not every module proxy has the provider itself.
 */
const PROGRAM: GoProgram = {
  module: "github.com/terraform-provider-openstack/utils/v2",
  version: "v2.0.0-20260520075407-97524fbad4a0",
  main: "./container",
  // Another source is another program.
  file: `openstack-container-${createHash("sha256").update(readFileSync(SOURCE)).digest("hex").slice(0, 8)}`,
  prepare(source) {
    // It is read-only, like the module cache from which it is copied.
    chmodSync(source, 0o755);
    mkdirSync(join(source, "container"));
    cpSync(SOURCE, join(source, "container/main.go"));
  },
};

/** Its path; null if `prepare.ts providers` has not built it. */
export const openstackContainer = (): string | null => cachedProgram(PROGRAM);

export const buildOpenstackContainer = (): Promise<string> => buildProgram(PROGRAM);
