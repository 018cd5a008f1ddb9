import type { TerraformElement } from "cdktf";
import type { Construct } from "constructs";
import type { TokenRecord } from "../survey/registry";
import type { TokenResolution } from "../token-resolution";
import type { BlockArguments } from "./block";

/** What a token's object in Terraform is made from. */
export interface TokenObjectOptions {
  /** `iam_token` or `iam_static_token`. */
  readonly type: string;
  /** Made when the object is written. */
  readonly arguments: () => BlockArguments;
  readonly record: TokenRecord;
}

/**
 * How a token reaches what uses it, as Terraform has it: one value a way, in the file of its
 * element.
 */
export interface TokenWay {
  readonly resolution: TokenResolution;
  /** Whether Terraform takes the values for ephemeral ones. */
  readonly ephemeral: boolean;
  /**
   * Declares the object. The element's `fqn` must be a token reference, so that its uses are found.
   */
  readonly declare: (scope: Construct, id: string, options: TokenObjectOptions) => TerraformElement;
  /**
   * How Terraform refers to an attribute of an object, or to the object as a whole; without `${}`.
   */
  readonly address: (type: string, name: string, attribute?: string) => string;
}

/** An address in Terraform, of those parts that are there. */
export function addressOf(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(".");
}
