import { writeOutputFile } from "../../../lib/cli/write-file";
import { EmbeddedIdentityService } from "../../../lib/testing";
import { runIdentityServer } from "../../../lib/testing/identity-server-command";
import type { Producers } from "./producer";

const MINIMAL = { accountId: "123456", serviceUsers: [] };

/** The codes of the commands, and of `cdktf-iam-tokens/testing`. */
export const BY_THE_TESTING_ENTRY: Producers = {
  ERR_TESTING_CONFIG_INVALID: () => EmbeddedIdentityService.start({ ...MINIMAL, port: -1 }),
  ERR_USAGE: async () => {
    let printed = "";
    const print = (text: string) => {
      printed += text;
    };
    await runIdentityServer({
      argv: ["--misspelt"],
      env: {},
      print,
      printError: print,
      untilStopped: Promise.resolve(),
    });
    return printed;
  },
  ERR_OUTPUT_FILE: () => writeOutputFile(__dirname, ""),
  ERR_LISTEN_FAILED: async () => {
    const first = await EmbeddedIdentityService.start(MINIMAL);
    try {
      const second = await EmbeddedIdentityService.start({ ...MINIMAL, port: first.port });
      await second.stop();
      return undefined;
    } finally {
      await first.stop();
    }
  },
};
