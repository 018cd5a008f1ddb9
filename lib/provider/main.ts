/** What the launcher starts: the provider `iam`, served to the Terraform or OpenTofu that launched it. */
import { serveLaunched } from "../plugin";
import { createIamProvider } from "./iam-provider";
import { loadIdentity } from "./load-identity";
import { PROVIDER_TYPE } from "./schema/names";

/** Put in by the build. */
declare const IAM_TOKENS_VERSION: string;

void serveLaunched({
  provider: () =>
    createIamProvider({
      // Taken once: what a later change of either would mean for a token that is open already, nobody could say.
      surroundings: { variables: { ...process.env }, workingFolder: process.cwd(), attached: false },
      version: IAM_TOKENS_VERSION,
    }),
  warmUp: [loadIdentity, () => loadIdentity().rehearseIssue()],
  name: PROVIDER_TYPE,
  version: IAM_TOKENS_VERSION,
  env: process.env,
  args: process.argv.slice(2),
});
