import type { Usage, UsageJournal } from "../../identity";
import { createIamProvider } from "../iam-provider";
import { createIdentityAccess } from "../process/identity-access";
import { loadIdentity } from "../process/load-part";
import type { ProcessContext } from "../process/process-context";
import type { AttachedSettings } from "./messages";

/** Usage before the first token. */
export const NOTHING_USED: Usage = {
  ...{ tokens: 0, uses: 0, briefUses: 0 },
  ...{ requests: 0, retries: 0, waitedMs: 0 },
};

/** The provider `iam` for a pipeline: one cache for all connections, with counts of its use. */
export function createPipelineProvider(
  { remember }: AttachedSettings,
  version: string,
  variables: ProcessContext["variables"],
  workingFolder: string,
) {
  const processContext: ProcessContext = {
    variables,
    workingFolder,
    attached: true,
    isOurs: true,
  };
  let journal: UsageJournal | undefined;
  const identity = createIdentityAccess(processContext, () => {
    journal = new (loadIdentity(processContext).UsageJournal)();
    return { journal, remember };
  });
  return {
    provider: createIamProvider({ processContext, identity, version }),
    usage: () => journal?.read() ?? NOTHING_USED,
  };
}
