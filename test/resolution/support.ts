import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type App, TerraformStack } from "cdktf";
import {
  IdentityService,
  type ResolvedTokens,
  SecretRef,
  ServiceUserToken,
  type ServiceUserTokenProps,
  type SynthTokensProps,
  TokenResolution,
  TokenScope,
} from "../../lib";
import type { Environment } from "../../lib/resolution/options";
import { resolveTokensIn } from "../../lib/resolution/resolve-tokens";
import { EmbeddedIdentityService, type Intercept } from "../../lib/testing";
import { testApp } from "../constructs/support";

export const PASSWORD = "canary-password-of-deployer";
export const ACCOUNT = "123456";

const services: EmbeddedIdentityService[] = [];

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
});

/** An identity service on loopback, stopped after the test; and the number of requested tokens. */
export async function startIdentity(intercept?: Intercept) {
  const users = ["deployer", "u1", "u2", "u3", "u4"].map((name) => ({
    name,
    password: PASSWORD,
    permission: { account: true, projects: ["web"] },
  }));
  const service = await EmbeddedIdentityService.start(
    { accountId: ACCOUNT, serviceUsers: users },
    intercept && { intercept },
  );
  services.push(service);
  return {
    authUrl: service.authUrl,
    requests: () => service.journal.filter(({ method }) => method === "POST").length,
  };
}

/** The environment of a developer's machine: the password, and no CI. */
export const ENVIRONMENT = { SERVICE_USER_PASSWORD: PASSWORD };

export function resolve(
  app: App,
  given: SynthTokensProps & { readonly environment?: Environment } = {},
): Promise<ResolvedTokens> {
  const { environment = ENVIRONMENT, ...options } = given;
  return resolveTokensIn(app, options, environment);
}

interface TokenIn {
  readonly authUrl: string;
  readonly user?: string;
  readonly password?: SecretRef;
  readonly props?: Partial<ServiceUserTokenProps>;
}

/** A stack with one identity service and one token that is resolved before synthesis. */
export function stackWithToken(app: App, id: string, from: TokenIn) {
  const stack = new TerraformStack(app, id);
  return { stack, token: tokenIn(stack, from) };
}

/** An app with the stack `a`, and the service of its token. */
export async function appWithToken(props: Partial<ServiceUserTokenProps> = {}) {
  const service = await startIdentity();
  const app = testApp();
  const folder = folderOf(app, "a");
  return { service, app, folder, ...stackWithToken(app, "a", { ...service, props }) };
}

/** Resolves and synthesizes. */
export async function synthesize(
  app: App,
  options: Parameters<typeof resolve>[1] = {},
): Promise<ResolvedTokens> {
  const resolved = await resolve(app, options);
  app.synth();
  return resolved;
}

export function tokenIn(
  stack: TerraformStack,
  { authUrl, user = "deployer", password, props }: TokenIn,
  id = "web",
): ServiceUserToken {
  const identity = new IdentityService(stack, `identity-${id}`, {
    authUrl,
    accountId: ACCOUNT,
    serviceUser: { name: user, password: password ?? SecretRef.env("SERVICE_USER_PASSWORD") },
  });
  return new ServiceUserToken(stack, id, {
    identity,
    scope: TokenScope.account(),
    resolution: TokenResolution.synth(),
    ...props,
  });
}

export function folderOf(app: App, stack: string): string {
  return join(app.outdir, "stacks", stack);
}

/** The file of values in a stack's folder; undefined when there is none. */
export function valuesIn(folder: string): Readonly<Record<string, unknown>> | undefined {
  const path = join(folder, "iam-tokens.auto.tfvars.json");
  if (!existsSync(path)) return undefined;
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { "//": _, ...values } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  return values;
}

export function configurationIn(folder: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(folder, "cdk.tf.json"), "utf8")) as Readonly<
    Record<string, unknown>
  >;
}

/** The reason of a promise's rejection. */
export async function rejection(
  promise: Promise<unknown>,
): Promise<Error & { readonly code?: string }> {
  return promise.then(
    () => {
      throw new Error("It was expected to be rejected.");
    },
    (error: Error) => error,
  );
}
