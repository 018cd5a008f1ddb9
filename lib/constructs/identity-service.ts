import { Fn, Lazy, type TerraformProvider, TerraformStack, Token } from "cdktf";
import { Construct } from "constructs";
import { isConstructPath, PROVIDER_TYPE } from "../provider/names";
import { Brand, IamTokensError, parseAuthUrl } from "../tokens";
import type { WayName } from "../tokens/ways";
import type { BlockArguments, FilePath } from "./blocks/arguments";
import { aliasFrom, ProviderBlock } from "./blocks/block";
import type { IdentityServiceProps } from "./credentials/identity-service-options";
import { argumentsOf, isLookedUp, secretsOf, wayOf } from "./credentials/translate";
import { type IdentityRecord, isForSynthOnly } from "./declarations/registry";
import { EmbeddedProvider } from "./embedded-provider";
import { merged, overridesOf } from "./framework/internals";
import { isUnresolved, withPath } from "./values/checks";
import { kind } from "./values/kinds";

/**
 * The service that issues IAM tokens, with the service user that gets them. In Terraform, it is a
 * provider configuration with its own alias, which comes from the construct's id: adding a service
 * never changes the alias of another.
 *
 * Without `authUrl`, its service and the way of signing in are those of an entry of clouds.yaml
 * (`cloud`), or of the environment of Terraform: OS_AUTH_URL, OS_USER_DOMAIN_NAME, OS_USERNAME and
 * OS_PASSWORD, the variables of an application credential or an identity token, or the entry of
 * clouds.yaml that OS_CLOUD names. Synthesis reads none of these.
 *
 * A wrong type, a literal secret and a construct that does not fit are errors at once; values and
 * uses are judged at synthesis, all together. The codes are in docs/api/errors.md.
 *
 * @see docs/credentials.md
 * @example
 * new IdentityService(this, "identity", {
 *   authUrl: "https://cloud.api.example.com",
 *   accountId: "123456",
 *   serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
 * });
 * new IdentityService(this, "of-clouds-yaml", { cloud: "prod" });
 * new IdentityService(this, "of-the-environment");
 */
export class IdentityService extends Construct {
  /** The provider with this service, for a module: `providers: [identity.provider]`. */
  readonly provider: TerraformProvider;
  /** How it signs in; undefined if only the provider will know it. @internal */
  readonly _way: WayName | undefined;
  /** @internal */
  readonly _props: IdentityServiceProps;
  /** @internal */
  readonly _record: IdentityRecord;
  private readonly embedded: EmbeddedProvider;

  constructor(scope: Construct, id: string, props: IdentityServiceProps = {}) {
    super(scope, id);
    BRAND.putOn(this);
    this._props = props;
    this.embedded = EmbeddedProvider._for(this, props);
    withPath(this, () => {
      for (const { source } of secretsOf(props)) this.embedded._addSecret(source);
    });
    this._way = wayOf(props);
    const alias = aliasFrom(TerraformStack.of(this).getLogicalId(this.node));
    this._record = {
      construct: this,
      configuration: `${PROVIDER_TYPE}.${alias}`,
      tokens: [],
      arguments: (file) => merged(this.blockArguments(file), overridesOf(this.provider)),
      isLookedUp: isLookedUp(props),
    };
    this.embedded._registry.identities.push(this._record);
    this.provider = new ProviderBlock(this, "Default", {
      alias,
      arguments: () => this.blockArguments((path) => this.embedded._filePath(path)),
      absent: () => isForSynthOnly(this._record),
    });
  }

  /**
   * The address up to `/v3`, for OpenStack clients and providers. Without `authUrl`,
   * synthesis does not know it, and reading it gives ERR_ADDRESS_NOT_KNOWN: use `authUrl` of a token
   * instead.
   */
  get keystoneUrl(): string {
    const { authUrl } = this._props;
    if (authUrl === undefined)
      return withPath(this, () => {
        throw new IamTokensError(
          "ERR_ADDRESS_NOT_KNOWN",
          "keystoneUrl is read, but the address is only looked up when Terraform runs.",
        );
      });
    if (!isUnresolved(authUrl)) return withPath(this, () => parseAuthUrl(authUrl).v3);
    // The same rule in Terraform. cdktf escapes templates in a string that is no token.
    const quoted = Lazy.stringValue({ produce: () => `"${authUrl}"` });
    const url = Token.isUnresolved(authUrl) ? authUrl : quoted;
    // What ends in /v3 gets a mark, which an address cannot have.
    const marked = Fn.replace(url, "//v3[/]*$/", "#");
    const completed = Fn.replace(marked, "/(/identity)?[/]*$/", "/identity/v3");
    return Fn.replace(completed, "#/identity/v3", "/v3");
  }

  private blockArguments(file: FilePath): BlockArguments {
    const { path } = this.node;
    return {
      ...argumentsOf(this._props, file),
      declared_by: isConstructPath(path) ? path : undefined,
    };
  }
}

const BRAND = new Brand<IdentityService>("IdentityService");

export const IDENTITY = kind("an IdentityService", (value) => BRAND.isOn(value));
