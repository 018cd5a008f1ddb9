import { writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { iamTokens, scenarios } from "../../scenarios/world";
import { startCommand } from "../../support/command";
import { goClient } from "../../support/go-clients";
import { testIf } from "../../support/skips";
import { terraformBinary } from "../../support/terraform";

const program = goClient("terraform-plugin-testing");

scenarios("terraform-plugin-testing", (stage) => {
  testIf(program !== null, "its program is not built here")(
    "an ephemeral token's value, plans and refreshes of a rotating one",
    async () => {
      const { scratch, identity, secrets, password } = stage();
      const { stdout } = await iamTokens(["install", join(scratch.folder, "mirror")], { scratch });
      const TF_CLI_CONFIG_FILE = join(scratch.folder, "mirror.tfrc");
      writeFileSync(TF_CLI_CONFIG_FILE, stdout);
      const { exitCode, text } = await startCommand(program ?? "", [], {
        cwd: scratch.folder,
        env: {
          ...scratch.env,
          ...secrets,
          AUTH_URL: identity.authUrl,
          TF_ACC: "1",
          // Otherwise it finds Terraform in PATH.
          ...(isAbsolute(terraformBinary()) ? { TF_ACC_TERRAFORM_PATH: terraformBinary() } : {}),
          TF_CLI_CONFIG_FILE,
        },
        timeoutMs: 240_000,
      }).finished;
      expect({ exitCode, text }).toEqual({ exitCode: 0, text: expect.stringMatching(/passed\n$/) });
      expect(text).not.toContain(password);
      expect(new Set(identity.journal.map(({ status }) => status))).toEqual(new Set([201]));
    },
    300_000,
  );
});
