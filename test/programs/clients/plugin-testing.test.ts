import { writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { EmbeddedIdentityService } from "../../../lib/testing";
import { startCommand } from "../../support/command";
import { goClient } from "../../support/go-clients";
import { packageRoot } from "../../support/project";
import { makeScratch } from "../../support/scratch";
import { testIf } from "../../support/skips";
import { hasTerraform, terraformBinary } from "../../support/terraform";

const PASSWORD = "canary-password";

testIf(
  goClient("terraform-plugin-testing") !== null && hasTerraform(),
  "the program with terraform-plugin-testing is not built, or there is no Terraform",
)(
  "terraform-plugin-testing: an ephemeral token's value, plans and refreshes of a rotating one",
  async () => {
    const scratch = makeScratch();
    const identity = await EmbeddedIdentityService.start({
      accountId: "123456",
      serviceUsers: [
        { name: "deployer", password: PASSWORD, permission: { account: true, projects: ["web"] } },
      ],
    });
    try {
      const options = { cwd: scratch.folder, env: scratch.env };
      const command = join(packageRoot, "dist/cli/main.js");
      const mirror = join(scratch.folder, "mirror");
      const installed = await startCommand(process.execPath, [command, "install", mirror], options)
        .finished;
      const configuration = join(scratch.folder, "mirror.tfrc");
      writeFileSync(configuration, installed.stdout);
      const { exitCode, text } = await startCommand(
        goClient("terraform-plugin-testing") ?? "",
        [],
        {
          ...options,
          env: {
            ...scratch.env,
            AUTH_URL: identity.authUrl,
            SERVICE_USER_PASSWORD: PASSWORD,
            TF_ACC: "1",
            // Otherwise it finds Terraform in PATH.
            ...(isAbsolute(terraformBinary()) ? { TF_ACC_TERRAFORM_PATH: terraformBinary() } : {}),
            TF_CLI_CONFIG_FILE: configuration,
          },
          timeoutMs: 240_000,
        },
      ).finished;
      expect({ exitCode, text }).toEqual({ exitCode: 0, text: expect.stringMatching(/passed\n$/) });
      expect(text).not.toContain(PASSWORD);
      expect(scratch.leftovers()).toEqual([]);
      expect(new Set(identity.journal.map(({ status }) => status))).toEqual(new Set([201]));
    } finally {
      await identity.stop();
      scratch.remove();
    }
  },
  300_000,
);
