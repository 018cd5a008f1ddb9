import { TerraformStack } from "cdktf";
import {
  IdentityService,
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "cdktf-iam-tokens";
import type { Construct } from "constructs";
import { ApiCall } from "../demo/api-call";

export interface QuickStartProps {
  /** Address of the identity service. */
  readonly authUrl: string;
  /** Address of the product APIs. Default: nothing is called, the tokens are only declared. */
  readonly productApiUrl?: string | undefined;
}

/** One token of each kind, each passed to its consumer. */
export class QuickStartStack extends TerraformStack {
  constructor(scope: Construct, id: string, props: QuickStartProps) {
    super(scope, id);

    const identity = new IdentityService(this, "identity", {
      authUrl: props.authUrl,
      accountId: "123456",
      serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
    });
    const account = new ServiceUserToken(this, "account", {
      identity,
      scope: TokenScope.account(),
    });
    const web = new ServiceUserToken(this, "web", { identity, scope: TokenScope.project("web") });
    const dns = new StaticTokenRef(this, "dns", { source: SecretRef.env("STATIC_TOKEN") });

    // The one token that other programs read: `cdktf output` shows its header name, and its value
    // as sensitive.
    const shared = new ServiceUserToken(this, "shared", {
      identity,
      scope: TokenScope.project("web"),
      resolution: TokenResolution.data(),
    });
    new TokenOutputs(this, "ci", { token: shared });

    if (props.productApiUrl === undefined) return;
    for (const [path, token] of [
      ["account", account],
      ["projects/web", web],
      ["dns", dns],
    ] as const) {
      new ApiCall(this, `call-${path.replace("/", "-")}`, {
        url: `${props.productApiUrl}/${path}`,
        token,
      });
    }
  }
}
