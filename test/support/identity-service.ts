import {
  type EmbeddedIdentityConfig,
  type EmbeddedIdentityOptions,
  EmbeddedIdentityService,
} from "../../lib/testing";

/** A service with a user of its account, who is permitted for that and for two projects. */
export const startIdentity = (
  password: string,
  config: Partial<EmbeddedIdentityConfig> = {},
  options?: EmbeddedIdentityOptions,
) => {
  const permission = { account: true, projects: ["web", "shop"] };
  const serviceUsers = [{ name: "deployer", password, permission }];
  return EmbeddedIdentityService.start({ accountId: "123456", serviceUsers, ...config }, options);
};
