import { spawnSync } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, madeOnce, runTool } from "./cache";

/** A program to build from a published Go module. */
export interface GoProgram {
  /** The module's name for the module proxy; its go.mod may contain another one. */
  readonly module: string;
  readonly version: string;
  /** The package of the program in the module: "." or "./cmd/x". */
  readonly main: string;
  /** The file's name in the cache. */
  readonly file: string;
  /**
   * Set for a module whose vendor folder is only partly published: its dependencies then come from
   * the module proxy.
   */
  readonly ignoreVendor?: true;
  /** The platform of the program. Default: this machine. */
  readonly target?: GoTarget;
  /** Changes the source before it is built. */
  readonly prepare?: (source: string) => void;
}

/** A platform: Node.js's name for it, which the cache uses, and Go's. */
export interface GoTarget {
  readonly name: "win32-x64" | "linux-arm64";
  readonly os: string;
  readonly arch: string;
}

let installed: boolean | undefined;

/** Whether Go is installed. */
export function hasGo(): boolean {
  installed ??= spawnSync("go", ["version"], { stdio: "ignore" }).status === 0;
  return installed;
}

/** The path of the built program, or null if it is not built yet. */
export function cachedProgram(program: GoProgram): string | null {
  const path = programPath(program);
  return existsSync(path) ? path : null;
}

/** The path of the program, which is built first if it is missing. */
export function buildProgram(program: GoProgram): Promise<string> {
  const { module, version, main, ignoreVendor, target } = program;
  return madeOnce(programPath(program), (folder) => {
    const source = join(folder, "source");
    const found = go(folder, target, "mod", "download", "-json", `${module}@${version}`);
    // A copy, because the module cache is read-only, and `go install` refuses a module with another
    // name in its go.mod.
    cpSync(JSON.parse(found).Dir, source, { recursive: true });
    program.prepare?.(source);
    const built = join(folder, "program");
    const flags = ["-trimpath", "-buildvcs=false", ...(ignoreVendor ? ["-mod=mod"] : [])];
    go(source, target, "build", ...flags, "-o", built, main);
    return built;
  });
}

function go(cwd: string, target: GoTarget | undefined, ...args: readonly string[]): string {
  const settings = { GOFLAGS: "", GOWORK: "off", CGO_ENABLED: "0" };
  const platform = target && { GOOS: target.os, GOARCH: target.arch };
  return runTool("go", args, cwd, { ...process.env, ...settings, ...platform });
}

/** The place of the program in the cache, even if it is not built yet. */
export function programPath({ version, file, target }: GoProgram): string {
  const platform = target?.name ?? `${process.platform}-${process.arch}`;
  return join(
    cacheFolder(),
    platform,
    `${file}@${version}${target?.os === "windows" ? ".exe" : ""}`,
  );
}
