import {
  type EmbeddedIdentityConfig,
  type EmbeddedIdentityOptions,
  EmbeddedIdentityService,
} from "../../lib/testing";

/**
 * A service with a user of its account, who is permitted for that and for two projects.
 *
 * What it cannot be has another place: the order of answers, the clock and what is remembered need a
 * transport in memory (test/identity/support/scripted.ts); bytes that no HTTP server sends need a
 * socket (test/identity/support/against.ts); and what the provider asks of the client is seen in the
 * client's place (test/provider/fixtures.ts).
 */
export const startIdentity = (
  password: string,
  config: Partial<EmbeddedIdentityConfig> = {},
  options?: EmbeddedIdentityOptions,
) => {
  const permission = { account: true, projects: ["web", "shop"] };
  const serviceUsers = [{ name: "deployer", password, permission }];
  return EmbeddedIdentityService.start({ accountId: "123456", serviceUsers, ...config }, options);
};
