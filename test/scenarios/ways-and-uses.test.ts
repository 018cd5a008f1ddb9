import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  App,
  DataResource,
  DataTerraformRemoteStateLocal,
  Fn,
  LocalBackend,
  TerraformCount,
  TerraformHclModule,
  TerraformOutput,
  TerraformStack,
  Token,
} from "cdktf";
import {
  type IAuthenticationToken,
  RotationSchedule,
  type ServiceUserToken,
  type ServiceUserTokenProps,
  TokenResolution,
} from "../../lib";
import { someOf } from "../support/fuzz";
import { usesTable } from "../support/uses-table";
import { callProduct, storeIn } from "./product";
import { localExec, resolve, type Scenario, scenarios, webToken } from "./world";

/** Calls a product API with a token; fails if that refuses it. */
const API_CALL = 'printf "%s: %s" "$API_HEADER" "$API" | curl -sf -H @- "$API_URL"';

const callOf = (token: IAuthenticationToken, url: string) =>
  localExec(API_CALL, { ...token.environment("API"), API_URL: url });

/** The ways that a token can be resolved. */
const WAYS: Readonly<Record<string, Partial<ServiceUserTokenProps>>> = {
  ephemeral: {},
  data: { resolution: TokenResolution.data() },
  rotating: {
    resolution: TokenResolution.rotating({ schedule: RotationSchedule.every("6h") }),
  },
  synth: { resolution: TokenResolution.synth() },
  "synth, `allowInState`": { resolution: TokenResolution.synth({ allowInState: true }) },
};

/** What an apply has left. */
interface Applied {
  readonly outputs: Readonly<Record<string, { readonly value: unknown }>>;
  /** Attributes of the managed resources, by address. */
  readonly resources: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Where a use is declared. */
interface Place {
  readonly stack: TerraformStack;
  readonly other: TerraformStack;
  /** The store of the first stack, and its folder. */
  readonly store: ReturnType<typeof storeIn>;
  readonly folder: string;
  readonly url: string;
}

/** Declares a use, and gives what it makes of the token: the token, or true where it was used. */
type Use = (token: ServiceUserToken, place: Place) => (applied: Applied) => unknown;

const inputOf = ({ resources }: Applied, name: string) =>
  (resources[`terraform_data.${name}`]?.input as { readonly token?: unknown } | undefined)?.token;

/** By the names that docs/using-tokens.md has. A command fails when the product API refuses. */
const USES: Readonly<Record<string, Use>> = {
  "provider block": ({ headers }, { stack, url }) => {
    callProduct(stack, "/block", { url, headers });
    return ({ outputs }) => outputs.status?.value === 200;
  },
  "write-only argument": ({ value }, { store, folder }) => {
    store("secret", "pushed", value);
    return () => readFileSync(join(folder, "pushed"), "utf8");
  },
  provisioner: (token, { stack, url }) => {
    new DataResource(stack, "hook", callOf(token, `${url}/provisioner`));
    return ({ resources }) => "terraform_data.hook" in resources;
  },
  "module input": ({ value, headerName }, { stack, folder, url }) => {
    const environment = { API: "${var.token}", API_HEADER: headerName, API_URL: `${url}/module` };
    const provisioner = [{ "local-exec": { command: API_CALL, environment } }];
    const module = {
      variable: { token: { type: "string", ephemeral: true } },
      resource: { terraform_data: { hook: { provisioner } } },
    };
    writeFileSync(join(folder, "main.tf.json"), JSON.stringify(module));
    const variables = { token: value };
    const local = { source: folder, skipAssetCreationFromLocalModules: true };
    new TerraformHclModule(stack, "module", { ...local, variables });
    return ({ resources }) => "module.module.terraform_data.hook" in resources;
  },
  "stored argument": ({ value }, { stack }) => {
    new DataResource(stack, "kept", { input: { token: value } });
    return (applied) => inputOf(applied, "kept");
  },
  "other argument": ({ value: name }, { store }) => {
    store("named", name, "something");
    return ({ resources }) => resources["product_secret.named"]?.name;
  },
  "argument of a data source": ({ value }, { stack, folder }) => {
    const path = join(folder, "empty.tfstate");
    writeFileSync(path, JSON.stringify({ version: 4, serial: 1, lineage: "l", outputs: {} }));
    const defaults = { token: value };
    const read = new DataTerraformRemoteStateLocal(stack, "read", { path, defaults });
    new DataResource(stack, "passed", { input: { token: read.getString("token") } });
    return (applied) => inputOf(applied, "passed");
  },
  output: ({ value }, { stack }) => {
    new TerraformOutput(stack, "token", { value, sensitive: true });
    return ({ outputs }) => outputs.token?.value;
  },
  "`count`, `for_each`": ({ value }, { stack }) => {
    const lines = Fn.split("\n", Token.asString(Fn.nonsensitive(value)));
    const count = TerraformCount.of(Token.asNumber(Fn.lengthOf(lines)));
    new DataResource(stack, "counted", { count });
    return ({ resources }) => "terraform_data.counted[0]" in resources;
  },
};

const CELLS = usesTable();

// docs/using-tokens.md: works where Terraform stores nothing; a rotating one where it stores the value.
scenarios(
  "each way by each use",
  (stage) => {
    /** Synthesizes both stacks: the folder of each, and what each use makes of the token. */
    async function synthesize(way: string, uses: readonly string[]) {
      const { scratch } = stage();
      const outdir = join(scratch.folder, "out");
      const folder = join(scratch.folder, "store");
      for (const each of [outdir, folder]) mkdirSync(each);
      const app = new App({ outdir });
      const [stack, other] = [new TerraformStack(app, "main"), new TerraformStack(app, "other")];
      for (const each of [stack, other]) new LocalBackend(each, { path: "terraform.tfstate" });
      const store = storeIn(stack, folder);
      const place = { stack, other, store, folder, url: stage().api.url };
      const token = webToken(stack, stage(), WAYS[way]);
      const made = uses.map((use) => [use, USES[use]?.(token, place)] as const);
      await resolve(app, stage());
      app.synth();
      const of = (name: string) => join(outdir, "stacks", name);
      return { main: of("main"), other: of("other"), made };
    }

    async function apply(folder: string): Promise<Applied> {
      for (const args of ["init", "apply -auto-approve"]) await stage().succeed(folder, args);
      const { stdout } = await stage().succeed(folder, "show -json");
      const { root_module: root, outputs = {} } = (JSON.parse(stdout) as State).values ?? {};
      const modules = [root, ...(root?.child_modules ?? [])];
      const resources = modules.flatMap((module) => module?.resources ?? []);
      const byAddress = resources.map(({ address, values }) => [address, values]);
      return { outputs, resources: Object.fromEntries(byAddress) };
    }

    test.each(someOf(Object.keys(WAYS)))(
      "%s: the right token comes to every other use",
      async (way) => {
        const works = CELLS.filter((cell) => cell.way === way && cell.outcome === "works");
        const uses = works.map(({ use }) => use);
        expect(uses.length).toBeGreaterThan(3);
        const { main, other, made } = await synthesize(way, uses);
        const applied = { main: await apply(main), other: await apply(other) };
        const reached = made.map(([use, of]) => {
          const found = of?.(use.startsWith("other stack") ? applied.other : applied.main);
          return [use, found === true || isOfWeb(stage(), found)];
        });
        expect(reached).toEqual(uses.map((use) => [use, true]));
        expect(
          new Set(
            stage()
              .calls()
              .map((call) => call.replace(/^\S+/, "")),
          ),
        ).toEqual(new Set([" project web 200"]));
      },
    );
  },
  { consumers: true },
);

function isOfWeb({ identity }: Scenario, token: unknown): boolean {
  const described = identity.describeToken(String(token));
  return described.status === "valid" && described.project === "web";
}

interface State {
  readonly values?: { readonly root_module?: StateModule; readonly outputs?: Applied["outputs"] };
}

interface StateModule {
  readonly resources?: readonly {
    readonly address: string;
    readonly values: Readonly<Record<string, unknown>>;
  }[];
  readonly child_modules?: readonly StateModule[];
}
