import { existsSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, madeOnce, runTool } from "./cache";

/** The library whose settings we read: its files and variables ask the same question here. */
const PACKAGES = ["openstacksdk==4.22.0", "keystoneauth1==5.18.1"];

const folder = () => join(cacheFolder(), PACKAGES.join("-").replaceAll("==", "@"));

/** The Python that has it. */
export const pythonWithOpenstacksdk = (): string => join(folder(), "bin/python");

export const hasOpenstacksdk = (): boolean => existsSync(pythonWithOpenstacksdk());

/** Installs it from PyPI into the folder of built programs. */
export function installOpenstacksdk(): Promise<string> {
  return madeOnce(folder(), (fresh) => {
    runTool("python3", ["-m", "venv", fresh]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"];
    runTool(join(fresh, "bin/python"), [...pip, ...PACKAGES]);
  });
}
