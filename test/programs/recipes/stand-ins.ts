/**
 * Providers in the place of those that no registry here has: with their addresses, the arguments of
 * theirs that the recipes use, and the requests that they make. Terraform attaches to them, and the
 * command line of CDKTF generates the recipes' bindings from their schemas.
 */
import { spawn } from "node:child_process";
import type { CtyObject, CtyType } from "../../../lib/plugin/cty/value";
import { UNKNOWN } from "../../../lib/plugin/cty/value";
import type { AttributeSchema, ManagedResource, Provider } from "../../../lib/plugin/provider";
import { serveAttached } from "../../../lib/plugin/serve/serve-attached";

const attribute = (type: CtyType, more: Partial<AttributeSchema> = { optional: true }) => ({
  type,
  description: "As in the provider that this stands for.",
  ...more,
});
const REQUIRED = { required: true };
const SECRET = { optional: true, sensitive: true };
const HEADERS: CtyType = ["map", "string"];

/** A block whose values are known, as text; a map stays one. */
type Block = Readonly<Record<string, string>> & { readonly maps: Maps };
type Maps = Readonly<Record<string, Readonly<Record<string, string>>>>;

function textsOf(block: CtyObject): Block {
  const texts: Record<string, string> = {};
  const maps: Record<string, Record<string, string>> = {};
  for (const [name, value] of Object.entries(block)) {
    if (value === null || value === undefined || typeof value === "symbol") continue;
    if (typeof value !== "object") texts[name] = String(value);
    else
      maps[name] = Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key, String(each)]),
      );
  }
  return Object.assign(texts, { maps });
}

/** A request as a provider makes it: anything but a success is an error of the apply. */
async function request(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<string> {
  const init = body === undefined ? { method, headers } : { method, headers, body };
  const answer = await fetch(url, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url} was answered ${answer.status}: ${text}`);
  return text;
}

/** A resource with an id, whose every change is one call; removed by another. */
function resource(
  attributes: Readonly<Record<string, AttributeSchema>>,
  written: readonly string[],
  put: (block: Block, config: Block) => Promise<string>,
  remove: (block: Block, state: Block) => Promise<unknown>,
): ManagedResource<Block> {
  const change = async (
    { config, planned }: { config: CtyObject; planned: CtyObject },
    { session }: { session: Block },
  ) => ({
    state: { ...planned, id: await put(session, textsOf(config)) },
  });
  return {
    schema: {
      description: "A resource.",
      attributes: { ...attributes, id: attribute("string", { computed: true }) },
    },
    async plan({ prior, config, proposed }) {
      const same = prior !== null && written.every((name) => prior[name] === config[name]);
      return { planned: same ? prior : { ...proposed, id: UNKNOWN } };
    },
    create: change,
    update: change,
    async destroy({ state }, { session }) {
      await remove(session, textsOf(state));
      return [];
    },
  };
}

function provider(
  attributes: Readonly<Record<string, AttributeSchema>>,
  resources: Readonly<Record<string, ManagedResource<Block>>>,
): Provider<Block> {
  return {
    schema: { description: "A provider.", attributes },
    resources,
    ephemeralResources: {},
    dataSources: {},
    configure: async (config) => ({ session: textsOf(config) }),
  };
}

/** Mastercard/restapi: every request has the headers of the block. */
const restapi = provider(
  {
    uri: attribute("string"),
    headers: attribute(HEADERS),
    write_returns_object: attribute("bool"),
  },
  {
    restapi_object: resource(
      { path: attribute("string", REQUIRED), data: attribute("string", REQUIRED) },
      ["path", "data"],
      async ({ uri, maps }, { path, data }) => {
        const answer = await request("POST", `${uri}${path}`, maps.headers ?? {}, data);
        return String((JSON.parse(answer) as { readonly id: unknown }).id);
      },
      ({ uri, maps }, { path, id }) => request("DELETE", `${uri}${path}/${id}`, maps.headers ?? {}),
    ),
  },
);

/** hashicorp/vault: a secret is written when the number of its version changes. */
const vault = provider(
  { address: attribute("string") },
  {
    vault_kv_secret_v2: resource(
      {
        mount: attribute("string", REQUIRED),
        name: attribute("string", REQUIRED),
        data_json_wo: attribute("string", { optional: true, sensitive: true, writeOnly: true }),
        data_json_wo_version: attribute("number"),
      },
      ["mount", "name", "data_json_wo_version"],
      async ({ address }, { mount, name, data_json_wo = "" }) => {
        const body = JSON.stringify({ data: JSON.parse(data_json_wo) });
        await request("PUT", `${address}/v1/${mount}/data/${name}`, {}, body);
        return `${mount}/data/${name}`;
      },
      ({ address }, { id }) => request("DELETE", `${address}/v1/${id}`, {}),
    ),
  },
);

/**
 * terraform-provider-openstack/openstack: a program signs in and creates the container, by the
 * library that the provider signs in with.
 */
const openstack = (program: string) =>
  provider(
    {
      auth_url: attribute("string"),
      token: attribute("string", SECRET),
      tenant_name: attribute("string"),
      project_domain_name: attribute("string"),
      region: attribute("string"),
      allow_reauth: attribute("bool"),
    },
    {
      openstack_objectstorage_container_v1: resource(
        { name: attribute("string", REQUIRED), region: attribute("string") },
        ["name", "region"],
        async (block, { name = "" }) => {
          await fed(program, [name], JSON.stringify(block));
          return name;
        },
        async () => {},
      ),
    },
  );

/** Runs a program to its end, with a string on its standard input. */
function fed(program: string, args: readonly string[], input: string): Promise<void> {
  const child = spawn(program, args, { stdio: ["pipe", "ignore", "pipe"] });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(complaint))));
  });
}

export interface StandIns {
  readonly env: { readonly TF_REATTACH_PROVIDERS: string };
  close(): Promise<void>;
}

/** Serves them all; the program is that of openstack-container.go. */
export async function serveStandIns(openstackProgram: string): Promise<StandIns> {
  const providers = {
    "registry.terraform.io/mastercard/restapi": restapi,
    "registry.terraform.io/hashicorp/vault": vault,
    "registry.terraform.io/terraform-provider-openstack/openstack": openstack(openstackProgram),
  };
  const served = await Promise.all(
    Object.entries(providers).map(async ([source, each]) => ({
      source,
      ...(await serveAttached(each)),
    })),
  );
  const reattach = Object.fromEntries(served.map(({ source, reattach }) => [source, reattach]));
  return {
    env: { TF_REATTACH_PROVIDERS: JSON.stringify(reattach) },
    close: async () => void (await Promise.all(served.map(({ close }) => close()))),
  };
}
