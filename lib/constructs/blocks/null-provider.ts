import type { TerraformResource } from "cdktf";
import { TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import { errorCodeOf, IamTokensError } from "../../tokens";

const PACKAGE = "@cdktf/provider-null";

/** What is used of the package. Its own types would have to be there wherever ours are read. */
export interface NullPackage {
  readonly provider: {
    readonly NullProvider: new (scope: Construct, id: string) => TerraformProvider;
  };
  readonly resource: {
    readonly Resource: new (
      scope: Construct,
      id: string,
      config: NullResourceConfig,
    ) => TerraformResource;
  };
}

interface NullResourceConfig {
  readonly triggers: { readonly [name: string]: string };
  readonly provisioners: readonly object[];
  readonly dependsOn?: readonly object[];
}

/**
 * The optional peer, loaded by the first hook.
 *
 * @throws ERR_PEER_MISSING
 */
export function loadNullPackage(load: (name: string) => unknown = require): NullPackage {
  try {
    return load(PACKAGE) as NullPackage;
  } catch (error) {
    if (errorCodeOf(error) !== "MODULE_NOT_FOUND") throw error;
    throw new IamTokensError(
      "ERR_PEER_MISSING",
      `A hook needs the package ${PACKAGE}, and it is not installed.`,
      {
        remedy: `npm install ${PACKAGE}`,
        cause: error,
      },
    );
  }
}

/**
 * The provider of a stack's hooks: the stack's own where it has one, also one that is declared
 * later.
 *
 * @param parent what ours is declared below, the same for all hooks of the stack
 */
export function provideNull(parent: Construct, { provider: { NullProvider } }: NullPackage): void {
  if (parent.node.tryFindChild("null") !== undefined) return;
  const ours = new NullProvider(parent, "null");
  const hasItsOwn = () =>
    ours.cdktfStack.node
      .findAll()
      .some(
        (element) =>
          element !== ours &&
          TerraformProvider.isTerraformProvider(element) &&
          element.cdktfStack === ours.cdktfStack &&
          element.terraformResourceType === "null" &&
          element.alias === undefined,
      );
  for (const name of ["toTerraform", "toHclTerraform"] as const) {
    const written = ours[name].bind(ours);
    Object.defineProperty(ours, name, { value: () => (hasItsOwn() ? {} : (written() as object)) });
  }
}
