import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { succeed } from "../support/command";
import { stillRunning } from "../support/processes";
import { packageRoot } from "../support/project";
import { makeScratch, type Scratch } from "../support/scratch";
import { startTerraform } from "../support/terraform";
import { environmentAt, type ServiceUnderLoad } from "./service-under-load";

/** A folder's plan of so many tokens, each of the project with this name; ready after init. */
export async function planOf(
  count: number,
  projectName: string,
  { scratch, env }: { readonly scratch: Scratch; readonly env: Readonly<Record<string, string>> },
) {
  writeFileSync(
    join(scratch.folder, "main.tf"),
    `ephemeral "iam_token" "it" {
  count        = ${count}
  scope        = "project"
  project_name = "${projectName}"
}
terraform {
  required_providers {
    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }
  }
}
`,
  );
  const terraform = async (command: string) => {
    const options = { scratch, env, timeoutMs: 300_000 };
    const { exitCode, text } = await startTerraform(scratch.folder, [command], options).finished;
    if (exitCode !== 0) throw new Error(text.slice(-4_000));
  };
  await terraform("init");
  return () => terraform("plan");
}

/** One real `terraform plan` that opens a token of each project, with the provider launched. */
export async function planAll({ authUrl, projects }: ServiceUnderLoad): Promise<void> {
  const scratch = makeScratch();
  try {
    const install = [join(packageRoot, "dist/cli/main.js"), "install", "terraform.d/plugins"];
    await succeed(process.execPath, install, scratch.folder);
    const env = environmentAt(authUrl);
    const plan = await planOf(projects.length, `project-\${count.index}`, { scratch, env });
    await plan();
    expect(await stillRunning(scratch.marker)).toEqual([]);
  } finally {
    scratch.remove();
  }
}
