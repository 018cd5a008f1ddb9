import { DataResource, TerraformStack } from "cdktf";
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

export interface QuickStartProps {
  /** Address of the identity service. */
  readonly authUrl: string;
  /** Address of the product APIs. Default: nothing is called, the tokens are only declared. */
  readonly productApiUrl?: string | undefined;
}

/** One token of each kind, each handed to what needs it. */
export class QuickStartStack extends TerraformStack {
  constructor(scope: Construct, id: string, props: QuickStartProps) {
    super(scope, id);

    const identity = new IdentityService(this, "identity", {
      authUrl: props.authUrl,
      accountId: "123456",
      serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
    });
    const account = new ServiceUserToken(this, "account", { identity, scope: TokenScope.account() });
    const web = new ServiceUserToken(this, "web", { identity, scope: TokenScope.project("web") });
    const dns = new StaticTokenRef(this, "dns", { source: SecretRef.env("STATIC_TOKEN") });

    // The one token that other programs read: `cdktf output` shows its header name, and its value as sensitive.
    const shared = new ServiceUserToken(this, "shared", {
      identity,
      scope: TokenScope.project("web"),
      resolution: TokenResolution.DATA,
    });
    new TokenOutputs(this, "ci", { token: shared });

    if (props.productApiUrl === undefined) return;
    for (const [path, token] of [
      ["account", account],
      ["projects/web", web],
      ["dns", dns],
    ] as const) {
      new DataResource(this, `call-${path.replace("/", "-")}`, {
        provisioners: [
          {
            type: "local-exec",
            command: CALL,
            environment: { API_URL: `${props.productApiUrl}/${path}`, HEADER_NAME: token.headerName, TOKEN: token.value },
          },
        ],
      });
    }
  }
}

/** By environment and not in the text: Terraform prints the command when it fails, and `ps` shows arguments to everybody. */
const CALL = `node -e 'const { API_URL, HEADER_NAME, TOKEN } = process.env;
fetch(API_URL, { headers: { [HEADER_NAME]: TOKEN } }).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(2))'`;
