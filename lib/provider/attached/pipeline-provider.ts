import { noUsage } from "../../identity/usage";
import { createIamProvider } from "../iam-provider";
import { createIdentityAccess } from "../process/identity-access";
import type { ProcessContext } from "../process/process-context";

/** The provider `iam` for a pipeline: one cache for all connections, with counts of its use. */
export function createPipelineProvider(
  variables: ProcessContext["variables"],
  workingFolder: string,
) {
  const processContext = { variables, workingFolder, attached: true, isOurs: true } as const;
  const usage = noUsage();
  const identity = createIdentityAccess(processContext, { usage });
  return { provider: createIamProvider({ processContext, identity }), usage };
}
