import type { IConstruct } from "constructs";
import { PROVIDER_SOURCE } from "../../provider/names";
import { SOURCE_CONTEXT, toProviderSource } from "../../provider/provider-source";

/**
 * The address by which a stack requires the provider: the one inside the package, or by the
 * program's context one in a registry.
 *
 * @throws ERR_PROVIDER_SOURCE_INVALID
 */
export const providerSourceOf = (construct: IConstruct): string =>
  toProviderSource(
    `The context "${SOURCE_CONTEXT}"`,
    construct.node.tryGetContext(SOURCE_CONTEXT) ?? undefined,
  );

/** Whether Terraform finds the provider in the stack's folder, where synthesis writes it. */
export const isInPackage = (construct: IConstruct): boolean =>
  providerSourceOf(construct) === PROVIDER_SOURCE;
