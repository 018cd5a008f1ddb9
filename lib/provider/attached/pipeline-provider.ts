import { getHeapStatistics } from "node:v8";
import type { Usage, UsageJournal } from "../../identity";
import { createIamProvider, type IamProvider } from "../iam-provider";
import { createIdentityAccess } from "../process/identity-access";
import { loadIdentity } from "../process/load-identity";
import type { ProcessContext } from "../process/process-context";
import { masked, maskedName } from "../secrets/known-secrets";
import type { AttachedSettings } from "./messages";

/** A provider for a whole pipeline, and its usage. */
export interface PipelineProvider {
  readonly provider: IamProvider;
  usage(): Usage;
}

/** Usage before the first token. */
export const NOTHING_USED: Usage = {
  credentials: [],
  partial: false,
  total: { tokens: 0, uses: 0, requests: 0, retries: 0, waitedMs: 0 },
};

/** The provider `iam` for a pipeline: one cache for all connections, with counts of its use. */
export function createPipelineProvider(
  settings: AttachedSettings,
  version: string,
  variables: ProcessContext["variables"],
  workingFolder: string,
): PipelineProvider {
  const processContext: ProcessContext = { variables, workingFolder, attached: true };
  let journal: UsageJournal | undefined;
  const identity = createIdentityAccess(processContext, (options) => {
    const { IdentityClient, UsageJournal } = loadIdentity();
    journal = new UsageJournal();
    return new IdentityClient({
      ...options,
      journal,
      remember: settings.remember,
    });
  });
  return {
    provider: createIamProvider({ processContext, identity, version }),
    usage: () => withoutSecretNames(journal?.read(Date.now()) ?? NOTHING_USED),
  };
}

/** A module may pass a secret as a name. */
function withoutSecretNames(usage: Usage): Usage {
  const credentials = usage.credentials.map((each) => ({
    ...each,
    authUrl: masked(each.authUrl),
    accountId: maskedOr(each.accountId),
    userName: maskedOr(each.userName),
    applicationCredential: maskedOr(each.applicationCredential),
    identityProvider: maskedOr(each.identityProvider),
    projectName: maskedOr(each.projectName),
  }));
  return { ...usage, credentials };
}

const maskedOr = (name: string | null) => (name === null ? null : maskedName(name));

/**
 * Garbage that is worth a collection, in bytes: about as much as a few hundred opened tokens leave.
 */
const WORTH_IT = 4 * 1024 * 1024;

/**
 * Collects garbage while no Terraform is connected, if there is enough of it: otherwise the
 * provider of a long pipeline would grow by tens of megabytes before Node.js collects any.
 *
 * @param collect by default that of `node --expose-gc`; without it nothing happens
 * @param heapUsed bytes in use, garbage included; process.memoryUsage() needs /proc
 */
export function idleCollector(
  collect: (() => void) | undefined = globalThis.gc,
  heapUsed: () => number = () => getHeapStatistics().used_heap_size,
): () => void {
  let after = heapUsed();
  return () => {
    if (collect === undefined || heapUsed() - after < WORTH_IT) return;
    collect();
    after = heapUsed();
  };
}
