/**
 * A product of the scenarios, which uses tokens: a provider whose own block takes one, as a cloud's
 * does, whose data source calls the simulated product API with it, and which keeps secrets that are
 * pushed into it, as a secret store does. Served by the plugin room, which knows nothing of tokens.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformDataSource, TerraformOutput, TerraformProvider, TerraformResource } from "cdktf";
import type { Construct } from "constructs";
import { type CtyObject, type CtyType, UNKNOWN } from "../../lib/plugin/cty/value";
import type {
  Applied,
  AppliedChange,
  AttributeSchema,
  ManagedResource,
  Provider,
} from "../../lib/plugin/provider";
import { serveAttached } from "../../lib/plugin/serve/serve-attached";
import { having } from "../support/synth";

export const PRODUCT_SOURCE = "npm.invalid/scenarios/product";

type Attributes = Provider<CtyObject>["schema"]["attributes"];

export const attribute = (type: CtyType, more: Partial<AttributeSchema> = { optional: true }) => ({
  type,
  description: "Of a test.",
  ...more,
});
export const schemaOf = (attributes: Attributes) => ({ description: "Of a test.", attributes });
const REQUIRED = attribute("string", { required: true });

type Change = AppliedChange & { readonly prior?: CtyObject };

/** A resource of these arguments, which is changed when one that is in a state is another. */
export const resourceOf = (
  of: Attributes,
  computed: string,
  type: CtyType,
  apply: (change: Change, session: CtyObject) => Promise<Applied> | Applied,
  destroy: (state: CtyObject, session: CtyObject) => void = () => {},
): ManagedResource<CtyObject> => {
  const applied = async (change: Change, { session }: { readonly session: CtyObject }) =>
    apply(change, session);
  return {
    schema: schemaOf({ ...of, [computed]: attribute(type, { computed: true }) }),
    async plan({ prior, config }) {
      const stored = Object.entries(of).map(
        ([name, { writeOnly }]) => [name, writeOnly ? null : (config[name] ?? null)] as const,
      );
      const isSame = prior !== null && stored.every(([name, value]) => prior[name] === value);
      return { planned: isSame ? prior : { ...Object.fromEntries(stored), [computed]: UNKNOWN } };
    },
    create: applied,
    update: applied,
    async destroy({ state }, { session }) {
      destroy(state, session);
      return [];
    },
    notImported: { severity: "error", summary: "It cannot be imported", detail: "" },
  };
};

const fileOf = ({ name = null }: CtyObject, { folder = null }: CtyObject) =>
  join(String(folder), String(name));

const PRODUCT: Provider<CtyObject> = {
  schema: schemaOf({
    url: attribute("string"),
    headers: attribute(["map", "string"], { optional: true, sensitive: true }),
    folder: attribute("string"),
  }),
  configure: async (session) => ({ session }),
  ephemeralResources: {
    // What the store holds now.
    product_secret: {
      schema: schemaOf({
        name: REQUIRED,
        value: attribute("string", { computed: true, sensitive: true }),
      }),
      open: async (config, { session }) => ({
        result: { ...config, value: readFileSync(fileOf(config, session), "utf8") },
      }),
    },
  },
  dataSources: {
    product_names: {
      schema: schemaOf({ names: attribute(["list", "string"], { computed: true }) }),
      read: async (_, { session: { folder } }) => ({
        state: { names: existsSync(String(folder)) ? readdirSync(String(folder)) : [] },
      }),
    },
    product_call: {
      schema: schemaOf({ path: REQUIRED, status: attribute("number", { computed: true }) }),
      async read({ path = null }, { session: { url, headers }, signal }) {
        const call = { headers: headers as Record<string, string>, signal };
        const { status } = await fetch(String(url) + String(path), call);
        return { state: { path, status } };
      },
    },
  },
  resources: {
    product_secret: resourceOf(
      {
        name: REQUIRED,
        value_wo: attribute("string", { required: true, writeOnly: true, sensitive: true }),
        // The value is pushed when this changes.
        value_wo_version: attribute("number", { required: true }),
      },
      "pushes",
      "number",
      push,
      (state, session) => rmSync(fileOf(state, session), { force: true }),
    ),
  },
};

/** A store that does not take the value. */
export const FULL = "the store is full";

function push({ prior, config, planned }: Change, session: CtyObject): Applied {
  const state = { ...planned, pushes: Number(prior?.pushes ?? 0) + 1 };
  mkdirSync(String(session.folder), { recursive: true, mode: 0o700 });
  // What was planned is saved although the write failed, as by every provider on SDKv2.
  if (existsSync(fileOf({ name: FULL }, session)))
    return {
      state,
      diagnostics: [{ severity: "error", summary: "The store is full", detail: "" }],
    };
  writeFileSync(fileOf(config, session), String(config.value_wo), { mode: 0o600 });
  return { state };
}

/** Serves it; the entry makes Terraform attach to it. */
export async function serveProduct() {
  const { reattach, end: close } = await serveAttached(PRODUCT);
  return { entry: { [PRODUCT_SOURCE]: reattach }, close };
}

const terraformGeneratorMetadata = { providerName: "product" };

interface ProductProps {
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly folder?: string;
}

/** The provider block; its alias is its id. */
class ProductProvider extends TerraformProvider {
  constructor(scope: Construct, id: string, props: ProductProps) {
    super(scope, id, {
      terraformResourceType: "product",
      terraformGeneratorMetadata,
      terraformProviderSource: PRODUCT_SOURCE,
    });
    having(this, props);
  }

  override get alias(): string {
    return this.node.id;
  }
}

/** A call of the product API by a provider block of its own, whose status is an output. */
export function callProduct(
  scope: Construct,
  path: string,
  props: ProductProps,
  id = "status",
): TerraformDataSource {
  const call = new TerraformDataSource(scope, `${id}-call`, {
    terraformResourceType: "product_call",
    terraformGeneratorMetadata,
    provider: new ProductProvider(scope, `${id}-api`, props),
  });
  new TerraformOutput(scope, id, { value: call.getNumberAttribute("status") });
  return having(call, { path });
}

/** A place for secrets, each of which is pushed whenever its version changes. */
export function storeIn(scope: Construct, folder: string) {
  const provider = new ProductProvider(scope, "store", { folder });
  const meta = { terraformResourceType: "product_secret", terraformGeneratorMetadata, provider };
  return (id: string, name: string, value: string, version = 1) =>
    having(new TerraformResource(scope, id, meta), {
      ...{ name, value_wo: value, value_wo_version: version },
    });
}
