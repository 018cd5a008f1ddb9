import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { IdentityService, ServiceUserToken, TokenScope } from "../../lib";
import { fingerprintOf, Secret } from "../../lib/tokens";
import { iamTokens, StackOf } from "../scenarios/world";
import { installProvider } from "../support/go-providers";
import { makeScratch } from "../support/scratch";
import { synthApp } from "../support/synth";
import { terraformBinary } from "../support/terraform";
import { type IdentityUnderTest, PROJECTS } from "./identity-under-test";

/**
 * Applies a stack in which the real OpenStack provider has a token of ours, by `iam-tokens run`
 * with further options, where OS_CLOUD names the cloud of both.
 *
 * @param more Variables of Terraform alone.
 * @returns the fingerprints of the token that the provider has used and of ours, and how many
 * requests were made
 */
export async function appliedWithOpenstack(
  keystone: IdentityUnderTest,
  options: readonly string[],
  more: Readonly<Record<string, string>> = {},
) {
  const scratch = makeScratch();
  const inScratch = (name: string) => join(scratch.folder, name);
  writeFileSync(inScratch("ca.pem"), keystone.ca ?? "");
  const auth = {
    auth_url: `${keystone.authUrl}/identity/v3`,
    username: "svc",
    password: keystone.passwordOf("svc"),
    user_domain_name: keystone.accountId,
    project_name: PROJECTS.permitted,
    project_domain_name: keystone.accountId,
  };
  const clouds = { ours: { auth, cacert: inScratch("ca.pem"), region_name: "RegionOne" } };
  writeFileSync(inScratch("clouds.yaml"), stringify({ clouds }));
  const app = synthApp((root) => {
    new StackOf(root, "main", (stack) => {
      const identity = new IdentityService(stack, "identity");
      const scope = TokenScope.project(PROJECTS.permitted);
      const token = new ServiceUserToken(stack, "token", { identity, scope });
      const source = "terraform-provider-openstack/openstack";
      stack.addOverride("terraform.required_providers.openstack", { source });
      stack.addOverride("provider.openstack", [
        {
          ...{ auth_url: token.authUrl, token: token.value, allow_reauth: false },
          cacert_file: inScratch("ca.pem"),
        },
      ]);
      const data = { name: "used", set_token_id: true };
      stack.addOverride("data.openstack_identity_auth_scope_v3.used", data);
      const environment = { FINGERPRINT: token.fingerprint };
      const note = { command: `printf %s "$FINGERPRINT" > ${inScratch("ours")}`, environment };
      stack.addOverride("resource.terraform_data.ours.provisioner", [{ "local-exec": note }]);
    });
  });
  const folder = app.stackFolder("main");
  try {
    await installProvider(folder, "openstack");
    const exported = Object.entries(more).map(([name, value]) => `export ${name}=${value};`);
    const command = `${exported.join(" ")} "$0" init && "$0" apply -auto-approve`;
    const result = await iamTokens(
      ["run", ...options, "--", "sh", "-c", command].concat(terraformBinary()),
      {
        ...{ scratch, cwd: folder },
        env: { OS_CLOUD: "ours", OS_CLIENT_CONFIG_FILE: inScratch("clouds.yaml") },
      },
    );
    if (result.exitCode !== 0) throw new Error(`run ended with ${result.exitCode}: ${result.text}`);
    const state = JSON.parse(readFileSync(join(folder, "terraform.tfstate"), "utf8"));
    const [{ instances }] = state.resources.filter(({ mode }: { mode: string }) => mode === "data");
    return {
      used: fingerprintOf(Secret.of(String(instances[0].attributes.token_id))),
      ours: readFileSync(inScratch("ours"), "utf8"),
      requests: Number(/, requests: (\d+),/.exec(result.text)?.[1]),
    };
  } finally {
    app.remove();
    scratch.remove();
  }
}
