import { join } from "node:path";
import { installedPackage } from "../../delivery/package-root";
import { isInOtherLanguage } from "./internals";

/**
 * The program's line in a stack: the first that is neither ours nor of a library. In another
 * language, there is none: the stack ends in jsii's runtime.
 */
export function programLine({ stack = "" }: Error): string | undefined {
  if (isInOtherLanguage()) return undefined;
  const { root } = installedPackage();
  const ours = [join(root, "dist"), join(root, "lib")];
  return stack
    .split("\n")
    .slice(1)
    .map((frame) => frame.replace(/\)$/, "").split(/[( ]/).at(-1) ?? "")
    .find(
      (line) =>
        /:\d+:\d+$/.test(line) &&
        !/[\\/]node_modules[\\/]|^node:/.test(line) &&
        !ours.some((folder) => line.startsWith(folder)),
    );
}
