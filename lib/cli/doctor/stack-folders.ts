import { existsSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { namesIn, readJson, readText } from "../../delivery/files";
import { member } from "../../hcl/json";
import type { Finding } from "./finding";

const CONFIGURATION = /\.(?:tf|tofu)(?:\.json)?$/;

/** Any object of the provider, under whatever address it is required. */
const OURS = /"iam_(?:token|static_token|rotation)"/;

/**
 * The folders in which Terraform runs: this one, or those of the stacks in a project (also one
 * without cdktf.json) or its output folder that use the provider.
 */
export function stacksIn(folder: string): readonly string[] {
  const names = namesIn(folder);
  if (names.some((name) => CONFIGURATION.test(name))) return [folder];
  const output = member(readJson(join(folder, "cdktf.json")), "output");
  const outputs = names.includes("cdktf.json")
    ? [typeof output === "string" ? output : "cdktf.out"]
    : // Whatever name a program gives its output folder, that has the list of its stacks.
      [".", ...names.filter((name) => existsSync(join(folder, name, "manifest.json")))];
  return outputs
    .map((name) => resolve(folder, name, "stacks"))
    .filter((below) => statSync(below, { throwIfNoEntry: false })?.isDirectory())
    .flatMap((below) => namesIn(below).map((name) => join(below, name)))
    .filter((stack) => OURS.test(readText(join(stack, "cdk.tf.json")) ?? ""))
    .sort();
}

/** Equal findings of several stacks as one, with their names. */
export function ofStacks(found: readonly (readonly [stack: string, Finding])[]) {
  const keys = found.map(([, finding]) => JSON.stringify(finding));
  return [...new Set(keys)].map((key): Finding => {
    const same = found.filter((_, index) => keys[index] === key);
    const names = same.map(([stack]) => basename(stack)).join(", ");
    const finding: Finding = JSON.parse(key);
    return { ...finding, text: `stack${same.length > 1 ? "s" : ""} ${names}: ${finding.text}` };
  });
}
