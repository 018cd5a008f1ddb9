/**
 * What the launcher starts: the provider `iam`, served to the Terraform or OpenTofu that launched
 * it.
 */
import { setFlagsFromString } from "node:v8";
import { serveLaunched } from "../plugin/serve/serve-launched";
import { createIamProvider, type IamProvider } from "./iam-provider";
import { PROVIDER_TYPE } from "./names";
import { loadIdentity } from "./process/load-identity";

/** Put in by the build. */
declare const IAM_TOKENS_VERSION: string;

// undici's parser is WebAssembly, and one function of it so large that to optimize it takes 100 ms
// of a processor, for a handful of answers. This many steps none of them takes.
setFlagsFromString("--wasm-tiering-budget=1000000000");

let provider: IamProvider | undefined;

void serveLaunched({
  provider: () => {
    provider = createIamProvider({
      // Taken once: what a later change of either would mean for a token that is open already,
      // nobody could say.
      surroundings: {
        variables: { ...process.env },
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
