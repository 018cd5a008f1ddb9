/**
 * The program that the launcher starts: the provider `iam`, served to the Terraform or OpenTofu
 * that launched it.
 */
import { serveLaunched } from "../plugin/serve/serve-launched";
import { createIamProvider, type IamProvider } from "./iam-provider";
import { PROVIDER_TYPE } from "./names";
import { loadIdentity } from "./process/load-identity";
import { takeVariables } from "./process/process-context";

/** Inserted by the build. */
declare const IAM_TOKENS_VERSION: string;

let provider: IamProvider | undefined;

void serveLaunched({
  provider: () => {
    provider = createIamProvider({
      // Read once: a later change of either would have no clear meaning for a token that is already
      // open.
      processContext: {
        variables: takeVariables(process.env),
        workingFolder: process.cwd(),
        attached: false,
      },
      version: IAM_TOKENS_VERSION,
    });
    return provider;
  },
  // The second one after the session in which blocks are checked.
  warmUp: [
    loadIdentity,
    () => loadIdentity().rehearseIssue({ secure: provider?.needsAuthorities() ?? false }),
  ],
  name: PROVIDER_TYPE,
  version: IAM_TOKENS_VERSION,
  env: process.env,
  args: process.argv.slice(2),
});
