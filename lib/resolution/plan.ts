import type { App, TerraformStack } from "cdktf";
import type { FileChoice } from "../constructs/declarations/pass";
import type { TokenRecord } from "../constructs/declarations/registry";
import { EmbeddedProvider } from "../constructs/embedded-provider";
import { type Destination, destinationIn } from "../constructs/stack/destination";
import { stacksOfOurs } from "../constructs/stack/files";

/** A stack with tokens that are resolved before synthesis. */
export interface Plan {
  readonly stack: TerraformStack;
  readonly provider: EmbeddedProvider;
  readonly records: readonly TokenRecord[];
  /** As far as it is known during the pass. */
  readonly destination: Destination;
}

export function plansOf(app: App, choice: FileChoice): readonly Plan[] {
  return stacksOfOurs(app).flatMap((stack) => {
    const provider = EmbeddedProvider.of(stack);
    const records = provider._registry.synthTokens;
    if (records.length === 0) return [];
    return { stack, provider, records, destination: destinationIn(stack, choice) };
  });
}
