import { type App, PgBackend, TerraformStack } from "cdktf";
import {
  IdentityService,
  RotationSchedule,
  SecretRef,
  ServiceUserToken,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "cdktf-iam-tokens";

export interface RotationStackProps {
  readonly authUrl: string;
  /** Another release is another token. */
  readonly release: string;
  /**
   * Of a state in PostgreSQL, which several pipelines may share; without the password, which is in
   * PGPASSWORD. Default: a state in a file.
   */
  readonly state?: { readonly connStr: string; readonly schemaName: string };
}

/**
 * A token in the state, which a pipeline that applies every six hours rotates ahead of its expiry,
 * and its outputs.
 */
export function declareStack(app: App, { authUrl, release, state }: RotationStackProps): void {
  const stack = new TerraformStack(app, "rotating");
  if (state !== undefined) new PgBackend(stack, state);
  const identity = new IdentityService(stack, "identity", {
    authUrl,
    accountId: "123456",
    serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
  });
  const token = new ServiceUserToken(stack, "web", {
    identity,
    scope: TokenScope.project("web"),
    resolution: TokenResolution.rotating({
      schedule: RotationSchedule.every("6h"),
      keepers: { release },
      verifyAtRefresh: true,
    }),
  });
  new TokenOutputs(stack, "ci", { token });
}
