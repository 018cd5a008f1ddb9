import { Readable } from "node:stream";
import type { EmbeddedIdentityOptions, EmbeddedIdentityService } from "../../../lib/testing";
import { fingerprintOf, Secret } from "../../../lib/tokens";
import { startIdentity as startService } from "../../support/identity-service";
import { cli } from "../run-cli";

export const PASSWORD = "canary-password";
export const TOMORROW = "2026-01-02T00:00:00Z";

export const startIdentity = (options: EmbeddedIdentityOptions = {}) =>
  startService(PASSWORD, {}, { now: () => Date.UTC(2026, 0, 1), ...options });

/** Issues a token of the account, with more variables. */
export async function issue(
  { authUrl }: EmbeddedIdentityService,
  more: Readonly<Record<string, string>> = {},
  workingFolder = process.cwd(),
): Promise<string> {
  const env = { OS_AUTH_URL: authUrl, OS_USER_DOMAIN_NAME: "123456", OS_USERNAME: "deployer" };
  const { stdout } = await cli(["issue", "--scope", "account"], {
    env: { ...env, OS_PASSWORD: PASSWORD, ...more },
    workingFolder,
  });
  return stdout.trim();
}

export const fingerprint = (token: string) => fingerprintOf(Secret.of(token));

/** A resource of a token, as it is in a state. */
export const object = (
  { keystoneUrl }: EmbeddedIdentityService,
  token: string,
  name = "ci",
  more: object = {},
) => ({
  mode: "managed",
  type: "iam_token",
  name,
  instances: [
    {
      attributes: {
        token,
        kind: "iam_token_account_scoped",
        fingerprint: fingerprint(token || "none"),
        auth_url: keystoneUrl,
        expires_at: TOMORROW,
        ...more,
      },
    },
  ],
});

export const stateOf = (resources: readonly object[], outputs: object = {}) =>
  JSON.stringify({ version: 4, resources, outputs });

/** Standard input with this content. */
export const stdin = (content: string | Buffer) => ({
  openStdin: () => Readable.from([Buffer.from(content)]),
});
