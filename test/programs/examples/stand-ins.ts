/**
 * Providers in the place of those that no registry here has: with their addresses, and the
 * arguments of theirs that the recipes use. Terraform attaches to them, and the command line of
 * CDKTF generates the recipes' bindings from their schemas.
 */
import type { CtyObject } from "../../../lib/plugin/cty/value";
import type { Provider } from "../../../lib/plugin/provider";
import { serveAttached } from "../../../lib/plugin/serve/serve-attached";
import { attribute, resourceOf, schemaOf } from "../../scenarios/product";

type Attributes = Parameters<typeof schemaOf>[0];

const TEXT = attribute("string");
const REQUIRED = attribute("string", { required: true });

interface StandIn {
  readonly block: Attributes;
  readonly type: string;
  readonly of: Attributes;
  /** What an ephemeral block of the same type gives. */
  readonly held?: Attributes;
}

/** Each has one resource. */
const PROVIDERS: Readonly<Record<string, StandIn>> = {
  "mastercard/restapi": {
    block: { uri: TEXT, headers: attribute(["map", "string"]) },
    type: "restapi_object",
    of: { path: REQUIRED, data: REQUIRED },
  },
  "hashicorp/vault": {
    block: { address: TEXT },
    type: "vault_kv_secret_v2",
    of: {
      mount: REQUIRED,
      name: REQUIRED,
      data_json_wo: attribute("string", { optional: true, sensitive: true, writeOnly: true }),
      data_json_wo_version: attribute("number"),
    },
    held: {
      mount: REQUIRED,
      name: REQUIRED,
      data: attribute(["map", "string"], { computed: true, sensitive: true }),
    },
  },
  "terraform-provider-openstack/openstack": {
    block: {
      auth_url: TEXT,
      token: attribute("string", { optional: true, sensitive: true }),
      tenant_name: TEXT,
      project_domain_name: TEXT,
      region: TEXT,
      allow_reauth: attribute("bool"),
    },
    type: "openstack_objectstorage_container_v1",
    of: { name: REQUIRED, region: TEXT },
  },
};

/** What a resource was applied with: the block of its provider, and its own. */
export interface Applied {
  readonly type: string;
  readonly block: CtyObject;
  readonly config: CtyObject;
}

/**
 * Serves them all.
 *
 * @param apply Called for each resource that is created or changed.
 * @param read What an ephemeral block gives; undefined if there is nothing to read.
 */
export async function serveStandIns(
  apply: (applied: Applied) => Promise<void> | void,
  read: () => CtyObject | null | undefined,
) {
  const served = await Promise.all(
    Object.entries(PROVIDERS).map(async ([source, { block, type, of, held }]) => {
      const provider: Provider<CtyObject> = {
        schema: schemaOf(block),
        resources: {
          [type]: resourceOf(of, "id", "string", async ({ config, planned }, block) => {
            await apply({ type, block, config });
            return { state: { ...planned, id: "1" } };
          }),
        },
        ephemeralResources: held
          ? {
              [type]: {
                schema: schemaOf(held),
                async open(config) {
                  const data = read();
                  if (data !== undefined) return { result: { ...config, data } };
                  const summary = "no secret found";
                  return { diagnostics: [{ severity: "error", summary, detail: "" }] };
                },
              },
            }
          : {},
        dataSources: {},
        configure: async (config) => ({ session: config }),
      };
      return [`registry.terraform.io/${source}`, await serveAttached(provider)] as const;
    }),
  );
  const reattach = Object.fromEntries(served.map(([source, { reattach }]) => [source, reattach]));
  return {
    env: { TF_REATTACH_PROVIDERS: JSON.stringify(reattach) },
    close: async () => void (await Promise.all(served.map(([, { end }]) => end()))),
  };
}
