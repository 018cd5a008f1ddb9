import { TerraformDataSource, TerraformProvider } from "cdktf";
import type { Construct } from "constructs";

const SOURCE = "npm.invalid/scenarios/product";
const VERSION = "0.0.1";

export interface ProductProviderProps {
  readonly url: string;
  readonly headerName?: string;
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly alias?: string;
}

/** The provider block of the scenarios' consumer. */
export class ProductProvider extends TerraformProvider {
  readonly #alias: string | undefined;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ProductProviderProps,
  ) {
    super(scope, id, {
      terraformResourceType: "product",
      terraformGeneratorMetadata: {
        providerName: "product",
        providerVersion: VERSION,
        providerVersionConstraint: VERSION,
      },
      terraformProviderSource: SOURCE,
    });
    this.#alias = props.alias;
  }

  override get alias(): string | undefined {
    return this.#alias;
  }

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    const { url, headerName, token, headers } = this.props;
    return { url, header_name: headerName, token, headers };
  }
}

/** One call to the product API. */
export class ProductCall extends TerraformDataSource {
  constructor(
    scope: Construct,
    id: string,
    private readonly path: string,
    provider?: ProductProvider,
  ) {
    super(scope, id, {
      terraformResourceType: "product_call",
      terraformGeneratorMetadata: {
        providerName: "product",
        providerVersion: VERSION,
        providerVersionConstraint: VERSION,
      },
      ...(provider === undefined ? {} : { provider }),
    });
  }

  get status(): number {
    return this.getNumberAttribute("status");
  }

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    return { path: this.path };
  }
}
