import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { namesIn, readStack, type Stack } from "./stack";
import { isTable } from "./terraform-json";

/** The folder that is looked at. */
export interface Project {
  readonly folder: string;
  /** A CDKTF project has stacks below its output folder; any other folder is one stack, or none. */
  readonly cdktf: boolean;
  /** Why a cdktf.json is none. */
  readonly problem?: string;
  readonly stacks: readonly Stack[];
}

/**
 * Reads a project of CDK for Terraform, a folder that one has written, or one of plain Terraform.
 */
export function readProject(folder: string): Project {
  if (!existsSync(join(folder, "cdktf.json"))) {
    const stack = readStack(
      basename(folder) || "/",
      folder,
      existsSync(join(folder, "cdk.tf.json")),
    );
    const stacks = stack === undefined ? stacksIn(folder) : [stack];
    return { folder, cdktf: false, stacks };
  }
  const output = outputOf(join(folder, "cdktf.json"));
  if (output === undefined)
    return { folder, cdktf: true, problem: "cdktf.json is no JSON object.", stacks: [] };
  return { folder, cdktf: true, stacks: stacksIn(resolve(folder, output)) };
}

/**
 * Of an output folder, which may be looked at by itself: a pipeline's later steps often have
 * nothing else.
 */
function stacksIn(output: string): readonly Stack[] {
  const stacks = join(output, "stacks");
  return namesIn(stacks).flatMap((name) => readStack(name, join(stacks, name), true) ?? []);
}

function outputOf(path: string): string | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isTable(json)) return undefined;
    return typeof json.output === "string" && json.output !== "" ? json.output : "cdktf.out";
  } catch {
    return undefined;
  }
}
