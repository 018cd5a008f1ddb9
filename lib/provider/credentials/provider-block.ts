import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import { Secret } from "../../tokens";
import { type Argument, textArgument } from "../argument";

const TEXTS = [
  "auth_url",
  "account_id",
  "user_name",
  "password_env",
  "password_file",
  "cloud",
  "clouds_folder",
  "base_url",
  "ca_file",
  "cert_file",
  "key_file",
] as const;

/** The arguments of a `provider "iam"` block, by their names in Terraform. */
export interface ProviderBlock extends Readonly<Record<(typeof TEXTS)[number], Argument<string>>> {
  readonly password: Argument<Secret>;
}

/** The name of an argument of the provider block. */
export type ProviderArgument = keyof ProviderBlock;

/**
 * Reads a provider block. The password is wrapped at once: a session can be logged or inspected
 * without harm.
 */
export function toProviderBlock(config: CtyObject): ProviderBlock {
  const password = textArgument(config, "password");
  return {
    ...(Object.fromEntries(TEXTS.map((name) => [name, textArgument(config, name)])) as Record<
      (typeof TEXTS)[number],
      Argument<string>
    >),
    password: typeof password === "string" ? Secret.of(password) : password,
  };
}

/** The names of the arguments that Terraform does not know yet. */
export function unknownArguments(block: ProviderBlock): readonly string[] {
  return Object.entries(block)
    .filter(([, value]) => value === UNKNOWN)
    .map(([name]) => name);
}
