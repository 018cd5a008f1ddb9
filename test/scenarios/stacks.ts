import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import {
  IdentityService,
  type IdentityServiceProps,
  SecretRef,
  ServiceUserToken,
  type ServiceUserTokenProps,
  TokenScope,
} from "../../lib";
import { ACCOUNT, type Scenario } from "./scenario";

/** A stack that is built by a function: each scenario contains only its own constructs. */
export class StackOf extends TerraformStack {
  constructor(scope: Construct, id: string, build: (stack: TerraformStack) => void) {
    super(scope, id);
    build(this);
  }
}

/** The identity service of a scenario, as a user declares it. */
export function identityIn(
  scope: Construct,
  { identity }: Scenario,
  props: Partial<IdentityServiceProps> = {},
  id = "identity",
): IdentityService {
  return new IdentityService(scope, id, {
    authUrl: identity.authUrl,
    accountId: ACCOUNT,
    serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
    ...props,
  });
}

/** Synthesizes a stack "main". @returns its folder */
export function mainStack(
  stage: Scenario,
  build: (stack: TerraformStack) => void,
  outdir?: string,
): string {
  return stage.synth((root) => void new StackOf(root, "main", build), outdir).stackFolder("main");
}

/** The same, initialized. */
export async function initialized(
  stage: Scenario,
  build: (stack: TerraformStack) => void,
): Promise<string> {
  const folder = mainStack(stage, build);
  await stage.succeed(folder, ["init"], {});
  return folder;
}

/** An ephemeral token for the project "web". */
export function webToken(
  scope: Construct,
  stage: Scenario,
  { id = "web", identity = identityIn(scope, stage), ...props }: WebToken = {},
): ServiceUserToken {
  return new ServiceUserToken(scope, id, { identity, scope: TokenScope.project("web"), ...props });
}

interface WebToken extends Partial<ServiceUserTokenProps> {
  readonly id?: string;
}

/** A provisioner that runs a command when its resource is created. */
export const localExec = (command: string, environment: Readonly<Record<string, string>>) => ({
  provisioners: [{ type: "local-exec" as const, command, environment }],
});
