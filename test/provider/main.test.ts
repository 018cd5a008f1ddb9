import { join } from "node:path";
import { packageVersion } from "../../lib/delivery/package-root";
import { encodeIamSchema } from "../../lib/provider/serve-iam-provider";
import { PROVIDER } from "../plugin/fixtures/grpc-client";
import { LaunchingProcess } from "../plugin/fixtures/launching-process";
import { packageRoot } from "../support/project";
import { makeScratch } from "../support/scratch";
import { testIf } from "../support/skips";

const launcher = join(packageRoot, `dist/terraform/terraform-provider-iam_v${packageVersion()}`);

testIf(process.platform !== "win32", "the launcher is a shell script")(
  "a launched provider has the schema that its objects have: the build has written it",
  async () => {
    const scratch = makeScratch();
    const terraform = new LaunchingProcess({ ...scratch.env, IAM_TOKENS_HANDOVER: "0" });
    try {
      const launched = await terraform.launch(launcher);
      const client = await launched.connect();
      const { message } = await client.unary(`${PROVIDER}GetProviderSchema`);
      expect(message && Buffer.from(message).toString("latin1")).toBe(
        Buffer.from(encodeIamSchema()).toString("latin1"),
      );
    } finally {
      await terraform.end();
      scratch.remove();
    }
  },
);
