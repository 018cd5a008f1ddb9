import { TerraformProvider, TerraformResource, type TerraformResourceConfig } from "cdktf";
import type { Construct } from "constructs";
import { FRAMEWORK } from "../../framework";
import { IamTokensError } from "../../tokens";
import { elementsOf, type Fragment, isInOtherLanguage } from "../framework/internals";

const PACKAGE = `@${FRAMEWORK.name}/provider-null`;

/** Not every registry has CDK Terrain's. */
const OTHERWISE =
  FRAMEWORK.name === "cdktn" ? "; where no registry has it, do as docs/terrain.md says" : "";

/** The parts of the package that are used. Its own types would be needed wherever ours are read. */
interface NullPackage {
  readonly provider: {
    readonly NullProvider: new (scope: Construct, id: string) => TerraformProvider;
  };
  readonly resource: {
    readonly Resource: new (scope: Construct, id: string, config: object) => TerraformResource;
  };
}

const TERRAFORM = {
  providerName: "null",
  providerVersionConstraint: "~> 3.0",
};

class PlainProvider extends TerraformProvider {
  constructor(scope: Construct, id: string) {
    const terraformResourceType = "null";
    const terraformProviderSource = "null";
    super(scope, id, {
      ...{ terraformResourceType, terraformProviderSource, terraformGeneratorMetadata: TERRAFORM },
    });
  }

  protected override synthesizeAttributes(): Fragment {
    return {};
  }
}

class PlainResource extends TerraformResource {
  private readonly triggers: unknown;

  constructor(
    scope: Construct,
    id: string,
    { triggers, ...config }: Partial<TerraformResourceConfig> & { readonly triggers?: unknown },
  ) {
    const terraformResourceType = "null_resource";
    super(scope, id, { ...config, terraformResourceType, terraformGeneratorMetadata: TERRAFORM });
    this.triggers = triggers;
  }

  protected override synthesizeAttributes(): Fragment {
    return { triggers: this.triggers };
  }
}

/** What a hook needs of the package: in Go and Java, an import does not load it. */
const PLAIN: NullPackage = {
  provider: { NullProvider: PlainProvider },
  resource: { Resource: PlainResource },
};

/**
 * The optional peer, loaded by the first hook.
 *
 * @throws ERR_PEER_MISSING
 */
export function loadNullPackage(load: (name: string) => unknown = require): NullPackage {
  try {
    return load(PACKAGE) as NullPackage;
  } catch (error) {
    // If a dependency of the package is missing, the error names that one.
    if (!String(error).includes(`'${PACKAGE}'`)) throw error;
    if (isInOtherLanguage()) return PLAIN;
    throw new IamTokensError(
      "ERR_PEER_MISSING",
      `A hook needs the package ${PACKAGE}, which is not installed.`,
      {
        remedy: `npm install ${PACKAGE}${OTHERWISE}`,
        cause: error,
      },
    );
  }
}

/**
 * The provider of a stack's hooks: the stack's own, even one that is declared later; otherwise
 * ours.
 *
 * @param parent parent of ours, the same for all hooks of the stack
 */
export function provideNull(parent: Construct, { provider: { NullProvider } }: NullPackage): void {
  if (parent.node.tryFindChild("null") !== undefined) return;
  class Ours extends NullProvider {
    override toTerraform(): Fragment {
      return this.isNeeded() ? super.toTerraform() : {};
    }

    private isNeeded(): boolean {
      return !elementsOf(this.cdktfStack).some(
        (each) =>
          each !== this &&
          TerraformProvider.isTerraformProvider(each) &&
          each.terraformResourceType === "null" &&
          each.alias === undefined,
      );
    }
  }
  new Ours(parent, "null");
}
