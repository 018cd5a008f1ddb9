import type { TerraformElement } from "cdktf";
import type { Construct } from "constructs";
import { TokenResolution } from "../values/token-resolution";
import type { TokenRecord } from "./registry";
import { detailsVariable, TokenVariable, tokenVariable } from "./synth-variable";
import { DataBlock, EphemeralBlock, TokenResourceBlock } from "./token-block";

/** How Terraform brings a token to its consumers. */
interface TokenWay {
  /** Whether Terraform treats the values as ephemeral. */
  readonly ephemeral: boolean;
  /** The object's element. Its `fqn` must be a token reference, by which uses are found. */
  readonly element: new (
    scope: Construct,
    id: string,
    record: TokenRecord,
  ) => TerraformElement;
  /**
   * How Terraform refers to an attribute of an object, or to the object as a whole; without `${}`.
   */
  readonly address: (type: string, name: string, attribute?: string) => string;
}

const joined = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(".");

const WAYS: Readonly<Record<TokenResolution, TokenWay>> = {
  [TokenResolution.EPHEMERAL]: {
    ephemeral: true,
    element: EphemeralBlock,
    address: (...parts) => joined("ephemeral", ...parts),
  },
  [TokenResolution.DATA]: {
    ephemeral: false,
    element: DataBlock,
    address: (...parts) => joined("data", ...parts),
  },
  [TokenResolution.ROTATING]: {
    ephemeral: false,
    element: TokenResourceBlock,
    address: joined,
  },
  [TokenResolution.SYNTH]: {
    ephemeral: true,
    element: TokenVariable,
    address: (_type, name, attribute) =>
      attribute === undefined || attribute === "token"
        ? `var.${tokenVariable(name)}`
        : `var.${detailsVariable(name)}.${attribute}`,
  },
};

/**
 * The Terraform way of a resolution.
 *
 * @param allowInState for tokens that are resolved before synthesis: the variable is an ordinary
 * sensitive one, whose value may be in plan and state
 */
export function wayOf(resolution: TokenResolution, allowInState: boolean): TokenWay {
  const way = WAYS[resolution];
  return allowInState && resolution === TokenResolution.SYNTH ? { ...way, ephemeral: false } : way;
}
