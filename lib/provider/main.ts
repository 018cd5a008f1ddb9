/**
 * The program that the launcher starts: the provider `iam`, served to the Terraform or OpenTofu
 * that launched it.
 */
import { serveLaunched } from "../plugin/serve/serve-launched";
import { PROVIDER_TYPE } from "./names";
import { takeVariables } from "./process/process-context";

/** Inserted by the build. */
declare const IAM_TOKENS_VERSION: string;
/** The answer to GetProviderSchema, a character for each byte. Inserted by the build. */
declare const IAM_TOKENS_SCHEMA: string;

void serveLaunched({
  schema: Buffer.from(IAM_TOKENS_SCHEMA, "latin1"),
  load: () => {
    const { serveIamProvider } =
      require("./serve-iam-provider") as typeof import("./serve-iam-provider");
    // Read once: a later change of either would have no clear meaning for a token that is already
    // open.
    const workingFolder = process.cwd();
    return serveIamProvider({
      processContext: { variables: takeVariables(process.env), workingFolder, attached: false },
    });
  },
  name: PROVIDER_TYPE,
  version: IAM_TOKENS_VERSION,
  env: process.env,
  args: process.argv.slice(2),
});
