import { conditional, Fn, TerraformStack, Token } from "cdktf";
import { Construct } from "constructs";
import { isConstructPath } from "../provider/names";
import type { AuthUrl, PermissionArea } from "../tokens";
import { Brand } from "../tokens/brand";
import { isSecretArgument, PARTS, type WayName } from "../tokens/ways";
import { aliasFrom, type BlockArguments, providerConfiguration } from "./blocks/block";
import { filePathFor } from "./blocks/file-path";
import { ProviderBlock } from "./blocks/provider-block";
import { originOf, reopen, reopenedName } from "./blocks/reopening";
import {
  IDENTITY_SERVICE_OPTIONS,
  type IdentityServiceLookupOptions,
  type IdentityServiceOptions,
} from "./credentials/identity-service-options";
import {
  checkCredentials,
  checkLookUp,
  type DeclaredSecret,
  lookUpIn,
  WAY_PROPERTIES,
  withLookUp,
} from "./credentials/identity-source";
import { secretArguments } from "./credentials/secret-arguments";
import type {
  ApplicationCredential,
  Federation,
  ServiceUser,
} from "./credentials/ways-of-signing-in";
import { EmbeddedProvider } from "./embedded-provider";
import { type BaseUrlRule, checkBaseUrl } from "./props/destinations";
import { Mistakes } from "./props/mistakes";
import { checkProps } from "./props/props";
import { checkPath, checkRetryFor } from "./props/texts";
import { SecretRef } from "./values/secret-ref";
import { checkPermission } from "./values/service-user-permission";

const BRAND = new Brand<IdentityService>("IdentityService");

/**
 * Properties of an {@link IdentityService}: exactly one of `serviceUser`, `applicationCredential`
 * and `federation`. @see docs/signing-in.md
 */
export interface IdentityServiceProps extends IdentityServiceOptions {
  /**
   * Address of the identity service: https, or http on loopback. An address that ends in `/v3` is
   * used as it is; one that ends in `/identity` gets `/v3`, and any other gets `/identity/v3`. May
   * be a Terraform expression.
   */
  readonly authUrl: string;
  /**
   * Account number, as a string; in the control panel, it is in the upper right corner. May be a
   * Terraform expression. Required, except with the id of an application credential.
   *
   * @default - the account of the application credential
   */
  readonly accountId?: string;
  /**
   * The user that gets the tokens, with its password.
   *
   * @default - another way of signing in is given
   */
  readonly serviceUser?: ServiceUser;
  /**
   * The application credential that gets the tokens, for its own project only.
   *
   * @default - another way of signing in is given
   */
  readonly applicationCredential?: ApplicationCredential;
  /**
   * The identity token of the pipeline, and who accepts it.
   *
   * @default - another way of signing in is given
   */
  readonly federation?: Federation;
}

const KNOWN = ["authUrl", "accountId", ...WAY_PROPERTIES, ...IDENTITY_SERVICE_OPTIONS];
const KNOWN_LOOKED_UP = ["cloudsFolder", ...IDENTITY_SERVICE_OPTIONS];

/**
 * The service that issues IAM tokens, with the service user that gets them. In Terraform, it is a
 * provider configuration with its own alias, which comes from the construct's id: adding a service
 * never changes the alias of another.
 *
 * Errors at synthesis, all reported at once, have the codes of docs/errors.md.
 *
 * @see docs/credentials.md
 * @example
 * new IdentityService(this, "identity", {
 *   authUrl: "https://cloud.api.example.com",
 *   accountId: "123456",
 *   serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
 * });
 */
export class IdentityService extends Construct {
  /** @internal */
  static _is(value: unknown): value is IdentityService {
    return BRAND.isOn(value);
  }

  /**
   * The service and the way of signing in from the environment of Terraform: OS_AUTH_URL,
   * OS_USER_DOMAIN_NAME, OS_USERNAME and OS_PASSWORD, the variables of an application credential or
   * an identity token, or the entry of clouds.yaml that OS_CLOUD names. Synthesis reads none of
   * these.
   *
   * @example IdentityService.fromEnvironment(this, "identity");
   */
  static fromEnvironment(
    scope: Construct,
    id: string,
    options: IdentityServiceLookupOptions = {},
  ): IdentityService {
    return new IdentityService(scope, id, withLookUp(options, {}) as IdentityServiceProps);
  }

  /**
   * The service and the way of signing in from an entry of clouds.yaml, merged with secure.yaml.
   * The provider searches for both files when Terraform runs, in openstacksdk's order, in the
   * project's folder first. Synthesis reads neither.
   *
   * @param cloud name of the entry; may be a Terraform expression
   * @example IdentityService.fromCloud(this, "identity", "prod");
   */
  static fromCloud(
    scope: Construct,
    id: string,
    cloud: string,
    options: IdentityServiceLookupOptions = {},
  ): IdentityService {
    return new IdentityService(scope, id, withLookUp(options, { cloud }) as IdentityServiceProps);
  }

  /** The rule for addresses of its tokens. @internal */
  readonly _baseUrl: BaseUrlRule;
  /** How it signs in; undefined if only the provider will know it. @internal */
  readonly _way: WayName | undefined;
  /** The declared permission of the service user. @internal */
  readonly _permission: PermissionArea | undefined;
  private readonly mistakes = new Mistakes();
  /** Undefined if only the provider will know it. */
  private readonly url: string | undefined;
  private readonly parsedUrl: AuthUrl | undefined;
  private toldUnknown = false;
  private readonly texts: BlockArguments;
  private readonly files: Readonly<Record<string, string | undefined>>;
  private readonly secret: DeclaredSecret | undefined;
  private readonly provider: EmbeddedProvider;
  /** Once it is known: a synthesis asks for it twenty times. */
  private alias: string | undefined;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: IdentityServiceProps,
  ) {
    super(scope, id);
    BRAND.putOn(this);
    const mistakes = this.mistakes;
    const lookUp = lookUpIn(props);
    const given = checkProps(props, lookUp === undefined ? KNOWN : KNOWN_LOOKED_UP, mistakes);
    const source =
      lookUp === undefined ? checkCredentials(given, mistakes) : checkLookUp(lookUp, mistakes);
    this.parsedUrl = source.parsedUrl;
    this.url = source.url;
    this._way = source.way;
    this.secret = source.secret;
    this._baseUrl = checkBaseUrl(given.baseUrl, given.requireBaseUrl, mistakes);
    this._permission = checkPermission(given.permission, mistakes);
    this.texts = {
      ...source.texts,
      base_url: this._baseUrl.argument,
      retry_for: checkRetryFor("retryFor", given.retryFor, mistakes),
    };
    this.files = {
      // Users have clouds.yaml in the project's folder, but Terraform runs elsewhere.
      ...(lookUp === undefined
        ? {}
        : { clouds_folder: checkPath("cloudsFolder", given.cloudsFolder ?? ".", mistakes) }),
      ca_file: checkPath("caFile", given.caFile, mistakes),
      cert_file: checkPath("certFile", given.certFile, mistakes),
      key_file: checkPath("keyFile", given.keyFile, mistakes),
    };
    if ((given.certFile === undefined) !== (given.keyFile === undefined)) {
      mistakes.add("ERR_CERTIFICATE_INVALID", "Only one of certFile and keyFile is given.", {
        allowed: "both, or neither",
      });
    }

    const wrong = (): readonly string[] => mistakes.messages;
    this.provider = EmbeddedProvider.of(this);
    this.provider._addSecret(this.secret?.source);
    this.provider._registry.identities.push({
      construct: this,
      alias: () => this._alias,
      arguments: () => this.blockArguments(),
      mistakes: wrong,
    });
    new ProviderBlock(this, "Default", {
      alias: () => this._alias,
      arguments: () => this.blockArguments(),
      absent: () => !this.provider._registry.needsProvider,
      omitted: () => this.provider._registry.isForSynthOnly(this._alias),
    });
    this.node.addValidation({
      validate: () => [...wrong(), ...this.provider._registry.findingsFor(this)],
    });
  }

  /**
   * The address up to `/v3`, for OpenStack clients and providers. With `fromEnvironment` or
   * `fromCloud`, synthesis does not know it, and reading it gives ERR_ADDRESS_NOT_KNOWN: use
   * `authUrl` of a token instead.
   */
  get keystoneUrl(): string {
    if (this.parsedUrl !== undefined) return this.parsedUrl.v3;
    if (this.url === undefined && !this.toldUnknown) {
      this.toldUnknown = true;
      this.mistakes.add(
        "ERR_ADDRESS_NOT_KNOWN",
        "keystoneUrl is read, but the address is only looked up when Terraform runs (fromEnvironment, fromCloud).",
      );
    }
    if (this.url === undefined || this.url === "") return "";
    // The rule of `authUrl`, as a Terraform expression.
    const base = Fn.replace(this.url, "/[/]+$/", "");
    const completed = conditional(
      Fn.endswith(base, "/identity"),
      Fn.join("", [base, "/v3"]),
      Fn.join("", [base, "/identity/v3"]),
    );
    return Token.asString(conditional(Fn.endswith(base, "/v3"), base, completed));
  }

  /**
   * The same identity service in another stack of the program, with its own provider configuration
   * there. Further calls for a stack return the same construct; for its own stack, the construct
   * returns itself. Relative paths still start from the project.
   *
   * With a secret from `SecretRef.fromTerraform`, synthesis refuses the copy: ERR_OTHER_STACK.
   */
  reopenIn(stack: TerraformStack): IdentityService {
    return reopen<IdentityService>(
      this,
      stack,
      EmbeddedProvider.of,
      (scope, id) => new IdentityService(scope, id, elsewhere(this.props)),
    );
  }

  /** The provider configuration, as `provider` takes it in Terraform: `iam.identity`. */
  get providerConfiguration(): string {
    return providerConfiguration(this._alias);
  }

  /** @internal */
  get _alias(): string {
    this.alias ??= reopenedName(this) ?? aliasFrom(TerraformStack.of(this).getLogicalId(this.node));
    return this.alias;
  }

  private blockArguments(): BlockArguments {
    const project = process.cwd();
    const folder = this.provider._stackFolder;
    const files = Object.entries(this.files).map(([name, path]) => [
      name,
      path === undefined ? undefined : filePathFor(path, project, folder),
    ]);
    const { path } = originOf<IdentityService>(this).node;
    return {
      ...this.texts,
      declared_by: isConstructPath(path) ? path : undefined,
      ...(this.secret
        ? secretArguments(this.secret.source, this.secret.names, project, folder)
        : {}),
      ...Object.fromEntries(files),
    };
  }
}

/**
 * Mistakes in the properties are reported for the original and again for the copy, which takes the
 * properties as they are.
 */
function elsewhere(props: IdentityServiceProps): IdentityServiceProps {
  const copy: Record<string, unknown> = { ...props };
  for (const { argument, property } of PARTS) {
    const [way = "", name = ""] = property.split(".");
    const given = copy[way];
    if (!isSecretArgument(argument) || typeof given !== "object" || given === null) continue;
    const secret = Reflect.get(given, name) as SecretRef;
    copy[way] = { ...given, [name]: SecretRef._elsewhere(secret) };
  }
  return copy as unknown as IdentityServiceProps;
}
