import type { TerraformStack } from "cdktf";
import { isThere, type StackRegistry } from "../declarations/registry";
import { elementsOf, type Fragment } from "../framework/internals";
import { judged } from "./judge";
import { keepNames } from "./kept-names";
import { misuses } from "./misuses";
import { finderOf, placesIn, usesIn } from "./places";
import { secretFindings } from "./secrets";
import { takenOutputs } from "./taken-outputs";

/**
 * Writes a stack, and judges what is written: whatever has changed it is seen.
 *
 * @throws an error with the form of cdktf's for validations
 */
export function surveyed(
  stack: TerraformStack,
  registry: StackRegistry,
  write: () => Fragment,
): Fragment {
  const elements = elementsOf(stack);
  const referencesIn = finderOf(registry.tokens);
  keepNames(elements, referencesIn);
  const written = write();
  const places = placesIn(written, referencesIn);
  const found = [
    ...misuses(stack, places, usesIn(places), written),
    ...takenOutputs(elements, registry),
    ...judged(registry.tokens, registry.identities),
    ...secretFindings(stack, written, registry),
  ].filter(([construct]) => isThere(construct));
  if (found.length === 0) return written;
  const lines = found.map(([{ node }, message]) => `[${node.path}] ${message}`);
  throw new Error(`Validation failed with the following errors:\n  ${lines.join("\n  ")}`);
}
