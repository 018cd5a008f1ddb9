import { getHeapStatistics } from "node:v8";
import type { Usage, UsageJournal } from "../../identity";
import { createIamProvider, type IamProvider } from "../iam-provider";
import { createIdentityAccess } from "../process/identity-access";
import { loadIdentity } from "../process/load-identity";
import type { Surroundings } from "../process/surroundings";
import type { AttachedSettings } from "./messages";

/** A provider for a whole pipeline, and what was done with it. */
export interface PipelineProvider {
  readonly provider: IamProvider;
  usage(): Usage;
}

/** How many credentials the summary tells apart. */
const TOLD_APART = 1_000;

/** What is told before the first token. */
export const NOTHING_USED: Usage = {
  credentials: [],
  untold: 0,
  total: { tokens: 0, uses: 0, requests: 0, retries: 0, waitedMs: 0 },
};

/** The provider `iam` as it serves a pipeline: one cache for all that connect, and counted. */
export function createPipelineProvider(
  settings: AttachedSettings,
  version: string,
  variables: Surroundings["variables"],
  workingFolder: string,
): PipelineProvider {
  const surroundings: Surroundings = { variables, workingFolder, attached: true };
  let journal: UsageJournal | undefined;
  const identity = createIdentityAccess(surroundings, (options) => {
    const { IdentityClient, UsageJournal } = loadIdentity();
    journal = new UsageJournal(TOLD_APART);
    const { cacheEntries } = settings;
    return new IdentityClient({
      ...options,
      journal,
      remember: settings.remember,
      ...(cacheEntries === undefined ? {} : { limits: { cacheEntries } }),
    });
  });
  return {
    provider: createIamProvider({ surroundings, identity, version }),
    usage: () => journal?.read(Date.now()) ?? NOTHING_USED,
  };
}

/** Garbage that is worth a collection, in bytes: about what a few hundred opened tokens leave. */
const WORTH_IT = 4 * 1024 * 1024;

/**
 * Collects garbage while no Terraform is connected, when enough has come together: the provider of
 * a long pipeline would else grow by tens of megabytes before Node.js sees a reason to.
 *
 * @param collect by default that of `node --expose-gc`; without it nothing is done
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
