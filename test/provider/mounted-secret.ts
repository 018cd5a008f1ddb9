import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Lays out a secret as Kubernetes mounts it; with another folder, it renews it: the link `..data`
 * is replaced, and the folder before it is removed.
 */
export function mountSecret(
  at: string,
  dated: string,
  files: Readonly<Record<string, string>>,
  before?: string,
): void {
  mkdirSync(join(at, dated), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at, dated, name), text);
  symlinkSync(dated, join(at, "..data_tmp"));
  renameSync(join(at, "..data_tmp"), join(at, "..data"));
  for (const name of Object.keys(files))
    if (!existsSync(join(at, name))) symlinkSync(`..data/${name}`, join(at, name));
  if (before !== undefined) rmSync(join(at, before), { recursive: true });
}
