import { basename } from "node:path";
import { OPEN_TOFU } from "../toolchain/open-tofu-release";
import { buildProgram, cachedProgram, type GoProgram } from "./go-build";
import { terraformBinary } from "./terraform";

const TOFU: GoProgram = {
  module: "github.com/opentofu/opentofu",
  version: `v${OPEN_TOFU}`,
  main: "./cmd/tofu",
  file: "tofu",
};

/** The tests' OpenTofu, or another version of it. */
export function openTofuProgram(version = TOFU.version): GoProgram {
  return { ...TOFU, version };
}

/** The path of an OpenTofu, or null if this machine has not built one (see `prepare.ts`). */
export function openTofu(): string | null {
  return cachedProgram(TOFU);
}

/** Whether the tests run under OpenTofu, as in the group of that name. */
export function underOpenTofu(): boolean {
  return basename(terraformBinary()).startsWith("tofu");
}

/** Builds OpenTofu, which takes minutes the first time. */
export function buildOpenTofu(): Promise<string> {
  return buildProgram(TOFU);
}
