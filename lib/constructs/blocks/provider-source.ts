import type { IConstruct } from "constructs";
import {
  isProviderSource,
  PROVIDER_SOURCE,
  SOURCE_CONTEXT,
  SOURCE_FORM,
} from "../../provider/names";
import { IamTokensError, quote } from "../../tokens";

/**
 * The address by which a stack requires the provider: the one inside the package, or by the
 * program's context one in a registry.
 *
 * @throws ERR_PROVIDER_SOURCE_INVALID
 */
export function providerSourceOf(construct: IConstruct): string {
  const given: unknown = construct.node.tryGetContext(SOURCE_CONTEXT) ?? PROVIDER_SOURCE;
  if (isProviderSource(given)) return given;
  throw new IamTokensError(
    "ERR_PROVIDER_SOURCE_INVALID",
    `The context "${SOURCE_CONTEXT}" is ${quote(String(given))}.`,
    { allowed: SOURCE_FORM },
  );
}

/** Whether Terraform finds the provider in the stack's folder, where synthesis writes it. */
export const isInPackage = (construct: IConstruct): boolean =>
  providerSourceOf(construct) === PROVIDER_SOURCE;
