import { EmbeddedIdentityService, type Intercept } from "../../lib/testing";
import { CountingRelay } from "./counting-relay";

export const USER = "deployer";
export const PASSWORD = "load-password";

/** What a provider needs to sign in. */
export const environmentAt = (authUrl: string) => ({
  OS_AUTH_URL: authUrl,
  OS_USER_DOMAIN_NAME: "123456",
  OS_USERNAME: USER,
  OS_PASSWORD: PASSWORD,
});

/** A service that counts its connections, and has a user with so many projects. */
export interface ServiceUnderLoad {
  readonly authUrl: string;
  readonly projects: readonly string[];
  readonly relay: CountingRelay;
  readonly identity: EmbeddedIdentityService;
}

/** Starts one, uses it, and stops it. */
export async function underLoad(
  count: number,
  use: (service: ServiceUnderLoad) => Promise<void>,
  intercept: Intercept = (_request, serve) => serve(),
): Promise<void> {
  const projects = Array.from({ length: count }, (_none, index) => `project-${index}`);
  const identity = await EmbeddedIdentityService.start(
    {
      accountId: "123456",
      serviceUsers: [{ name: USER, password: PASSWORD, permission: { projects } }],
    },
    { intercept },
  );
  const relay = await CountingRelay.start(identity.port);
  try {
    await use({ authUrl: relay.url, projects, relay, identity });
  } finally {
    await relay.close();
    await identity.stop();
  }
}

/** Lets so many requests per second through; others get a 429. */
export function rateLimit(perSecond: number): Intercept {
  let [second, seen] = [0, 0];
  return (_request, serve) => {
    const present = Math.floor(Date.now() / 1000);
    seen = present === second ? seen + 1 : 1;
    second = present;
    return seen <= perSecond ? serve() : { status: 429, headers: [["Retry-After", "1"]] };
  };
}
