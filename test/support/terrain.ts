import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { arch, platform } from "node:os";
import { dirname, join, resolve } from "node:path";
import { cacheFolder, installedOnce, runTool } from "./cache";

// CDK Terrain (cdktn) instead of CDKTF: its command line, and the package for it.

const root = resolve(__dirname, "../..");
const OWN = "cdktf-iam-tokens";
const NULL = "@cdktf/provider-null";

/** The version of cdktn in package.json. */
const VERSION = "0.24.0";
/** Its command line needs 22.19 or newer; this one comes as a package for one platform. */
const NODE = { name: `node-${platform()}-${arch()}`, version: "22.23.3" };

/** Replaces names of CDKTF in a program by those of CDK Terrain. */
export function inTerrain(program: string): string {
  return program
    .replaceAll('"cdktf"', '"cdktn"')
    .replaceAll(/"cdktf-iam-tokens(\/testing)?"/g, '"cdktn-iam-tokens$1"')
    .replaceAll("@cdktf/provider-", "@cdktn/provider-");
}

/** Puts a package of this checkout, or of its node_modules, into a folder of packages. */
export function installFor(framework: Framework, name: string, modules: string): void {
  const link = (own: string, target: string) => {
    const path = join(modules, own);
    if (existsSync(path)) return;
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path, "dir");
  };
  if (framework === "cdktn" && name === OWN) writeTerrainPackage(join(modules, "cdktn-iam-tokens"));
  else if (framework === "cdktn" && name === NULL)
    writeNullPackage(join(modules, "@cdktn/provider-null"));
  else if (name === OWN) link(OWN, root);
  else {
    const own = framework === "cdktn" && name === "cdktf" ? "cdktn" : name;
    link(own, join(root, "node_modules", own));
  }
}

/** Writes the package for CDK Terrain into a folder, with its packed files. Build first. */
export function writeTerrainPackage(folder: string): void {
  runTool(process.execPath, [join(root, "lib/build/terrain.mjs"), folder]);
}

/**
 * Writes @cdktn/provider-null, which is @cdktf/provider-null with another import; not every
 * registry has it.
 */
function writeNullPackage(folder: string): void {
  for (const part of ["package.json", "lib"])
    cpSync(join(root, "node_modules", NULL, part), join(folder, part), { recursive: true });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|d\.ts|json)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    writeFileSync(path, inTerrain(readFileSync(path, "utf8")));
  }
}

const folderOfCommandLine = () => join(cacheFolder(), `cdktn-cli@${VERSION}`);

/** The command line, as a program and its first argument. */
export function cdktnCommandLine(): readonly [program: string, script: string] {
  const modules = join(folderOfCommandLine(), "node_modules");
  if (!existsSync(modules))
    throw new Error("cdktn-cli is not here: node --import tsx test/support/prepare.ts cdktn");
  return [join(modules, NODE.name, "bin/node"), join(modules, "cdktn-cli/bin/cdktn")];
}

/** Installs the command line, with a Node.js for it, in the folder of built programs. */
export function installCdktn(): Promise<string> {
  return installedOnce(folderOfCommandLine(), { "cdktn-cli": VERSION, [NODE.name]: NODE.version });
}

/** A framework of the programs that the tests make and run. */
export type Framework = "cdktf" | "cdktn";

/** The default framework: cdktn in the groups of CDK Terrain (jest.config.cjs). */
export const FRAMEWORK: Framework =
  process.env.IAM_TOKENS_TEST_FRAMEWORK === "cdktn" ? "cdktn" : "cdktf";
