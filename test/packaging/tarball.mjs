// The packed package, read without unpacking it.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { Problems } from "./problems.mjs";

/**
 * Runs a command to its end, and gives back what it printed; one that fails is a problem, reported
 * with its output.
 */
export function run(file, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    encoding: "utf8",
    maxBuffer: 1 << 26,
    ...options,
  });
  if (status !== 0)
    throw new Problems(
      `${file} ${args.join(" ")}: ${error?.message ?? `exit code ${status}`}\n${stdout ?? ""}${stderr ?? ""}`,
    );
  return stdout;
}

/** A packed package: where it is, its files, its name, and the framework that it is for. */
export function readTarball(path) {
  const entries = readTar(gunzipSync(readFileSync(path)));
  const manifest = entries.find(({ name }) => name === "package.json").content;
  const { name } = JSON.parse(manifest.toString("utf8"));
  return { path, entries, name, framework: name.replace("-iam-tokens", "") };
}

/**
 * The files of a tar archive as npm writes them: one header block a file, then its bytes in blocks
 * of 512.
 */
function readTar(bytes) {
  const entries = [];
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0; ) {
    const text = (offset, length) =>
      bytes.toString("utf8", at + offset, at + offset + length).replace(/\0.*$/s, "");
    const size = Number.parseInt(text(124, 12), 8);
    const type = text(156, 1);
    if (type !== "0" && type !== "")
      throw new Problems(`The tarball has an entry of type ${type}: ${text(0, 100)}`);
    const name = [text(345, 155), text(0, 100)].filter((part) => part !== "").join("/");
    const content = bytes.subarray(at + 512, at + 512 + size);
    entries.push({
      name: name.replace(/^package\//, ""),
      mode: Number.parseInt(text(100, 8), 8),
      size,
      content,
    });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return entries;
}
