import { join } from "node:path";
import { currentFolder } from "../../../lib/cli/current-folder";
import { startCommand } from "../../../lib/cli/run/command-process";
import { ProviderProcess } from "../../../lib/cli/run/provider-process";
import type { Producers } from "./producer";

/** The codes of the command `iam-tokens` that nothing else brings about. */
export const BY_THE_COMMAND: Producers = {
  ERR_RUN_PROVIDER_FAILED: () =>
    ProviderProcess.start({
      program: join(__dirname, "no-such-program.js"),
      settings: { serve: true, remember: true },
      env: {},
      workingFolder: __dirname,
    }),
  ERR_COMMAND_NOT_RUN: async () =>
    (await startCommand(["no-such-command"], { PATH: "/" }, __dirname).ended).error,
  ERR_WORKING_FOLDER_GONE: () =>
    currentFolder(() => {
      throw new Error("ENOENT");
    }),
};
