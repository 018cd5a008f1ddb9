import { TerraformProvider, TerraformResource, type TerraformResourceConfig } from "cdktf";
import type { Construct } from "constructs";
import { elementsOf, type Fragment } from "../framework/internals";

// The hook's resource and its provider, as the classes that are generated from hashicorp/null have
// them: a program, in whatever language, needs no package of them.

const NULL = "null";
const OF_NULL = {
  terraformGeneratorMetadata: { providerName: NULL, providerVersionConstraint: "~> 3.0" },
};

export class NullResource extends TerraformResource {
  private readonly triggers: unknown;

  constructor(
    scope: Construct,
    id: string,
    { triggers, ...config }: Partial<TerraformResourceConfig> & { readonly triggers: unknown },
  ) {
    super(scope, id, { ...config, ...OF_NULL, terraformResourceType: "null_resource" });
    this.triggers = triggers;
  }

  protected override synthesizeAttributes(): Fragment {
    return { triggers: this.triggers };
  }
}

/** Not written in a stack with one of its own, even one that is declared later. */
class DefaultProvider extends TerraformProvider {
  constructor(scope: Construct) {
    super(scope, NULL, {
      ...{ ...OF_NULL, terraformResourceType: NULL, terraformProviderSource: NULL },
    });
  }

  override toTerraform(): Fragment {
    const isThere = elementsOf(this.cdktfStack).some(
      (each) =>
        each !== this &&
        TerraformProvider.isTerraformProvider(each) &&
        each.terraformResourceType === NULL &&
        each.alias === undefined,
    );
    return isThere ? {} : super.toTerraform();
  }
}

/**
 * Declares the provider of a stack's hooks, once.
 *
 * @param parent parent of the provider, the same for all hooks of the stack
 */
export function provideNull(parent: Construct): void {
  if (parent.node.tryFindChild(NULL) === undefined) new DefaultProvider(parent);
}
