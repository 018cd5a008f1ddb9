import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { cacheFolder, runTool } from "./cache";

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
export async function buildProgram(program: GoProgram): Promise<string> {
  const path = programPath(program);
  if (!existsSync(path)) build(program, path);
  return path;
}

/** Built in another folder first: no reader ever finds half of it. */
function build(program: GoProgram, path: string): void {
  const { module, version, main, ignoreVendor, target } = program;
  mkdirSync(dirname(path), { recursive: true });
  const folder = mkdtempSync(join(dirname(path), `build-${basename(path)}-`));
  try {
    const source = join(folder, "source");
    const found = go(folder, target, "mod", "download", "-json", `${module}@${version}`);
    // A copy, because the module cache is read-only, and `go install` refuses a module with another
    // name in its go.mod.
    cpSync(JSON.parse(found).Dir, source, { recursive: true });
    program.prepare?.(source);
    const built = join(folder, "program");
    const flags = ["-trimpath", "-buildvcs=false", ...(ignoreVendor ? ["-mod=mod"] : [])];
    go(source, target, "build", ...flags, "-o", built, main);
    renameSync(built, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
