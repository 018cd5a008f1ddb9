import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentFolder } from "../../../lib/cli/cli-context";
import { checkTerraform } from "../../../lib/cli/doctor/checks/machine";
import { DoctorContext } from "../../../lib/cli/doctor/doctor-context";
import { readProject } from "../../../lib/cli/doctor/project";
import { startCommand } from "../../../lib/cli/run/command-process";
import { ProviderProcess } from "../../../lib/cli/run/provider-process";
import { cli } from "../../cli/run-cli";
import { temporaryFolder } from "../../constructs/support";
import { onPlatform } from "../../support/platform";
import type { Producers } from "./producer";

/** The doctor's word on an ephemeral variable, where Terraform says that it is an old one. */
async function underOldTerraform(): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "main.tf"), 'variable "web_token" {\n  ephemeral = true\n}\n');
  const binary = join(folder, "terraform-for-test");
  writeFileSync(binary, "#!/bin/sh\necho 'Terraform v1.9.8'\n");
  chmodSync(binary, 0o755);
  const context = {
    env: { TERRAFORM_BINARY_NAME: binary, PATH: process.env.PATH },
    now: Date.now,
    version: "0.1.0",
  };
  const scene = new DoctorContext({}, await readProject(folder), context);
  return [await checkTerraform(scene)]
    .flat()
    .map(({ text }) => text)
    .join();
}

async function onWindows(): Promise<string> {
  return (await onPlatform("win32", () => cli(["run", "--", "true"]))).stderr;
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
  ERR_RUN_UNSUPPORTED: onWindows,
  ERR_TERRAFORM_TOO_OLD: underOldTerraform,
  ERR_COMMAND_NOT_RUN: async () =>
    (await startCommand(["no-such-command"], { PATH: "/" }, __dirname).ended).error,
  ERR_STATE_INVALID: async () => (await cli(["revoke", "--state", "no-such-file"])).stderr.trim(),
  ERR_WORKING_FOLDER_GONE: () =>
    currentFolder(() => {
      throw new Error("ENOENT");
    }),
};
