import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformStack } from "cdktf";
import { EmbeddedProvider } from "../../lib";
import { stillRunning } from "../support/processes";
import { makeScratch } from "../support/scratch";
import { synthApp } from "../support/synth";
import { startTerraform } from "../support/terraform";
import { environmentAt, type ServiceUnderLoad } from "./service-under-load";

/** One real `terraform plan` that opens a token of each project, with the provider launched. */
export async function planAll({ authUrl, projects }: ServiceUnderLoad): Promise<void> {
  const scratch = makeScratch();
  const app = synthApp((root) => void EmbeddedProvider.of(new TerraformStack(root, "load")));
  try {
    const folder = join(app.stackFolder("load"), "module");
    mkdirSync(folder);
    symlinkSync("../terraform.d", join(folder, "terraform.d"));
    writeFileSync(
      join(folder, "main.tf"),
      [
        'terraform {\n  required_providers {\n    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }\n  }\n}',
        ...projects.map(
          (project, index) =>
            `ephemeral "iam_token" "t${index}" {\n  scope = "project"\n  project_name = "${project}"\n}`,
        ),
      ].join("\n"),
    );
    const env = environmentAt(authUrl);
    for (const args of [["init"], ["plan", "-no-color"]]) {
      const { exitCode, text } = await startTerraform(folder, args, {
        scratch,
        env,
        timeoutMs: 300_000,
      }).finished;
      if (exitCode !== 0) throw new Error(text.slice(0, 4_000));
    }
    const left = await stillRunning(scratch.marker);
    if (left.length > 0)
      throw new Error(`left running: ${left.map(({ command }) => command).join("; ")}`);
  } finally {
    app.remove();
    scratch.remove();
  }
}
