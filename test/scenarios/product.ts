/**
 * A product of the scenarios, which uses tokens: a provider whose own block takes one, as a cloud's
 * does, whose data source calls the simulated product API with it, and which keeps secrets that are
 * pushed into it, as a secret store does. Served by the plugin room, which knows nothing of tokens.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformDataSource, TerraformProvider, TerraformResource } from "cdktf";
import type { Construct } from "constructs";
import { UNKNOWN } from "../../lib/plugin/cty/value";
import type { AppliedChange, Provider } from "../../lib/plugin/provider";
import { serveAttached } from "../../lib/plugin/serve/serve-attached";

export const PRODUCT_SOURCE = "npm.invalid/scenarios/product";

interface Session {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly folder: string;
}

const attribute = (type: "string" | "number", more: object) => ({
  type,
  description: "Of the scenarios.",
  ...more,
});
const schemaOf = (attributes: Provider<Session>["schema"]["attributes"]) => ({
  description: "Of the scenarios.",
  attributes,
});

const PRODUCT: Provider<Session> = {
  schema: schemaOf({
    url: attribute("string", { optional: true }),
    headers: {
      type: ["map", "string"],
      description: "Of each call.",
      optional: true,
      sensitive: true,
    },
    folder: attribute("string", { optional: true }),
  }),
  configure: async ({ url, headers, folder }) => {
    const given = typeof headers === "object" && headers !== null ? Object.entries(headers) : [];
    const known = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
    return { session: { url: String(url), headers: known, folder: String(folder) } };
  },
  ephemeralResources: {
    // What the store holds now.
    product_secret: {
      schema: schemaOf({
        name: attribute("string", { required: true }),
        value: attribute("string", { computed: true, sensitive: true }),
      }),
      open: async ({ name = null }, { session: { folder } }) => ({
        result: { name, value: readFileSync(join(folder, String(name)), "utf8") },
      }),
    },
  },
  dataSources: {
    product_names: {
      schema: schemaOf({
        names: {
          ...{ type: ["list", "string"], description: "Of the scenarios.", computed: true },
        },
      }),
      read: async (_, { session: { folder } }) => ({
        state: { names: existsSync(folder) ? readdirSync(folder) : [] },
      }),
    },
    product_call: {
      schema: schemaOf({
        path: attribute("string", { required: true }),
        status: attribute("number", { computed: true }),
      }),
      async read({ path = null }, { session: { url, headers }, signal }) {
        const { status } = await fetch(`${url}${String(path)}`, { headers, signal });
        return { state: { path, status } };
      },
    },
  },
  resources: {
    product_secret: {
      schema: schemaOf({
        name: attribute("string", { required: true }),
        value_wo: attribute("string", { required: true, writeOnly: true, sensitive: true }),
        // The value is pushed when this changes.
        value_wo_version: attribute("number", { required: true }),
        pushes: attribute("number", { computed: true }),
      }),
      async plan({ prior, config }) {
        const isSame =
          prior !== null &&
          prior.name === config.name &&
          prior.value_wo_version === config.value_wo_version;
        return { planned: isSame ? prior : { ...config, value_wo: null, pushes: UNKNOWN } };
      },
      create: async (change, { session }) => pushed(change, 1, session),
      update: async ({ prior, ...change }, { session }) =>
        pushed(change, Number(prior.pushes) + 1, session),
      async destroy({ state }, { session }) {
        rmSync(join(session.folder, String(state.name)), { force: true });
        return [];
      },
      notImported: { severity: "error", summary: "It cannot be imported", detail: "" },
    },
  },
};

/** A store that does not take the value. */
export const FULL = "the store is full";

function pushed({ config, planned }: AppliedChange, pushes: number, { folder }: Session) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // What was planned is saved although the write failed, as by every provider on SDKv2.
  if (existsSync(join(folder, FULL)))
    return {
      state: { ...planned, pushes },
      diagnostics: [{ severity: "error" as const, summary: "The store is full", detail: "" }],
    };
  writeFileSync(join(folder, String(config.name)), String(config.value_wo), { mode: 0o600 });
  return { state: { ...planned, pushes } };
}

/** Serves it; the entry makes Terraform attach to it. */
export async function serveProduct() {
  const { reattach, end: close } = await serveAttached(PRODUCT);
  return { entry: { [PRODUCT_SOURCE]: reattach }, close };
}

const METADATA = {
  providerName: "product",
  providerVersion: "0.0.1",
  providerVersionConstraint: "0.0.1",
};

export interface ProductProps {
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly folder?: string;
}

/** The provider block; its alias is its id. */
export class ProductProvider extends TerraformProvider {
  constructor(
    scope: Construct,
    id: string,
    private readonly props: ProductProps,
  ) {
    super(scope, id, {
      terraformResourceType: "product",
      terraformGeneratorMetadata: METADATA,
      terraformProviderSource: PRODUCT_SOURCE,
    });
  }

  override get alias(): string {
    return this.node.id;
  }

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    return { ...this.props };
  }
}

/** A call of the product API. */
export class ProductCall extends TerraformDataSource {
  constructor(
    scope: Construct,
    id: string,
    provider: ProductProvider,
    private readonly path: string,
  ) {
    super(scope, id, {
      terraformResourceType: "product_call",
      terraformGeneratorMetadata: METADATA,
      provider,
    });
  }

  get status(): number {
    return this.getNumberAttribute("status");
  }

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    return { path: this.path };
  }
}

/** A secret that is pushed whenever its version changes. */
export class ProductSecret extends TerraformResource {
  constructor(
    scope: Construct,
    id: string,
    provider: ProductProvider,
    private readonly props: {
      readonly name: string;
      readonly value: string;
      readonly version: number;
    },
  ) {
    super(scope, id, {
      terraformResourceType: "product_secret",
      terraformGeneratorMetadata: METADATA,
      provider,
    });
  }

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    const { name, value, version } = this.props;
    return { name, value_wo: value, value_wo_version: version };
  }
}
