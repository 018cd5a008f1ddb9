import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedProvider } from "../../lib";
import { PROVIDER_SOURCE } from "../../lib/provider/names";
import { sourceOf } from "./consumers";
import { ACCOUNT, type Scenario } from "./scenario";
import { mainStack } from "./stacks";

/** A folder for a module in plain HCL, next to the provider that a synthesis has laid out. */
export function moduleFolder(stage: Scenario): string {
  const folder = join(
    mainStack(stage, (stack) => void EmbeddedProvider.of(stack)),
    "module",
  );
  mkdirSync(folder);
  symlinkSync("../terraform.d", join(folder, "terraform.d"));
  return folder;
}

/** Writes what is in the module, after the providers that it requires: ours, and others by name. */
export function writeModule(folder: string, hcl: string, ...others: readonly "store"[]): void {
  const sources = [["iam", PROVIDER_SOURCE], ...others.map((name) => [name, sourceOf(name)])];
  const required = sources.map(([name, source]) => `    ${name} = { source = "${source}" }\n`);
  writeFileSync(
    join(folder, "main.tf"),
    `terraform {\n  required_providers {\n${required.join("")}  }\n}\n${hcl}\n`,
  );
}

/** Such a module, initialized. */
export async function initializedModule(stage: Scenario, hcl: string): Promise<string> {
  const folder = moduleFolder(stage);
  writeModule(folder, hcl);
  await stage.succeed(folder, ["init"], {});
  return folder;
}

/** The provider's block of an identity service, by default without anything else. */
export function providerBlock(authUrl: string, { user = "deployer", more = "" } = {}): string {
  return `provider "iam" {
  auth_url     = "${authUrl}"
  account_id   = "${ACCOUNT}"
  user_name    = "${user}"
  password_env = "SERVICE_USER_PASSWORD"
  ${more}
}
`;
}
