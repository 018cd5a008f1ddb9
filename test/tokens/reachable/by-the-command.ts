import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkTerraform } from "../../../lib/cli/doctor/checks/machine";
import { readProject } from "../../../lib/cli/doctor/project";
import { Scene } from "../../../lib/cli/doctor/scene";
import { startCommand } from "../../../lib/cli/run/command-process";
import { ProviderProcess } from "../../../lib/cli/run/provider-process";
import { currentFolder } from "../../../lib/cli/surroundings";
import { temporaryFolder } from "../../constructs/support";
import type { Producers } from "./producer";

/** The doctor's word on an ephemeral variable, where Terraform says that it is an old one. */
async function underOldTerraform(): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "main.tf"), 'variable "web_token" {\n  ephemeral = true\n}\n');
  const binary = join(folder, "terraform-for-test");
  writeFileSync(binary, "#!/bin/sh\necho 'Terraform v1.9.8'\n");
  chmodSync(binary, 0o755);
  const surroundings = {
    env: { TERRAFORM_BINARY_NAME: binary, PATH: process.env.PATH },
    now: Date.now,
    version: "0.1.0",
  };
  const scene = new Scene({}, await readProject(folder), surroundings);
  return [await checkTerraform(scene)]
    .flat()
    .map(({ text }) => text)
    .join();
}

/** The codes of the command `iam-tokens` that nothing else brings about. */
export const BY_THE_COMMAND: Producers = {
  ERR_RUN_PROVIDER_FAILED: () =>
    ProviderProcess.start({
      program: join(__dirname, "no-such-program.js"),
      settings: { serve: true, remember: true },
      env: {},
      workingFolder: __dirname,
    }),
  ERR_TERRAFORM_TOO_OLD: underOldTerraform,
  ERR_COMMAND_NOT_RUN: async () =>
    (await startCommand(["no-such-command"], { PATH: "/" }, __dirname).ended).error,
  ERR_WORKING_FOLDER_GONE: () =>
    currentFolder(() => {
      throw new Error("ENOENT");
    }),
};
