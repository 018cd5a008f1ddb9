import type { Usage, UsageJournal } from "../../identity";
import { createIamProvider } from "../iam-provider";
import { createIdentityAccess } from "../process/identity-access";
import { loadIdentity } from "../process/load-part";
import type { ProcessContext } from "../process/process-context";
import { masked } from "../secrets/known-secrets";
import type { AttachedSettings } from "./messages";

/** Usage before the first token. */
export const NOTHING_USED: Usage = {
  credentials: [],
  partial: false,
  total: { tokens: 0, uses: 0, briefUses: 0, requests: 0, retries: 0, waitedMs: 0 },
};

/** The provider `iam` for a pipeline: one cache for all connections, with counts of its use. */
export function createPipelineProvider(
  { remember }: AttachedSettings,
  version: string,
  variables: ProcessContext["variables"],
  workingFolder: string,
) {
  const processContext: ProcessContext = { variables, workingFolder, attached: true };
  let journal: UsageJournal | undefined;
  const identity = createIdentityAccess(processContext, () => {
    journal = new (loadIdentity().UsageJournal)();
    return { journal, remember };
  });
  return {
    provider: createIamProvider({ processContext, identity, version }),
    usage: () => withoutSecrets(journal?.read(Date.now()) ?? NOTHING_USED),
  };
}

/** A module may pass a secret as a name. */
export function withoutSecrets(usage: Usage): Usage {
  const whole = JSON.stringify(usage);
  // Each string by itself: a secret may end in a character that JSON's own spelling needs.
  return JSON.parse(whole, (_, value) => (typeof value === "string" ? masked(value) : value));
}
