import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  App,
  DataResource,
  Fn,
  LocalBackend,
  TerraformCount,
  TerraformHclModule,
  TerraformOutput,
  TerraformStack,
  Token,
} from "cdktf";
import { resolveTokens, ServiceUserToken, type ServiceUserTokenProps, TokenResolution, TokenScope } from "../../lib";
import { installLocalProvider } from "./local-provider";
import { ProductCall, ProductProvider } from "./product/constructs";
import { type Scenario, scenarios } from "./scenario";
import { identityIn } from "./stacks";
import { StoreProvider, StoreSecret } from "./store/constructs";

/** The ways that a token can be resolved. */
const WAYS: Readonly<Record<string, Partial<ServiceUserTokenProps>>> = {
  ephemeral: {},
  data: { resolution: TokenResolution.DATA },
  synth: { resolution: TokenResolution.SYNTH },
  "synth with allowInState": { resolution: TokenResolution.SYNTH, allowInState: true },
};

interface Place {
  readonly token: ServiceUserToken;
  readonly stage: Scenario;
  readonly other: TerraformStack;
}

/** What can use a token. */
const USES: Readonly<Record<string, (stack: TerraformStack, place: Place) => void>> = {
  "provider block": (stack, { token, stage }) => {
    const provider = new ProductProvider(stack, "api", { url: stage.api.url, headers: token.headers });
    new TerraformOutput(stack, "status", { value: new ProductCall(stack, "call", "/projects/web", provider).status });
  },
  "write-only argument": (stack, { token, stage }) => {
    const store = join(stage.scratch.folder, "store");
    mkdirSync(store, { recursive: true });
    new StoreProvider(stack, "store", store);
    new StoreSecret(stack, "secret", { name: "token", value: token.value, version: 1 });
  },
  provisioner: (stack, { token }) => {
    new DataResource(stack, "hook", {
      provisioners: [{ type: "local-exec", command: 'test -n "$API"', environment: token.environment("API") }],
    });
  },
  "resource argument": (stack, { token }) => void new DataResource(stack, "kept", { input: { token: token.value } }),
  output: (stack, { token }) => void new TerraformOutput(stack, "token", { value: token.value, sensitive: true }),
  count: (stack, { token }) =>
    void new DataResource(stack, "counted", {
      count: TerraformCount.of(Token.asNumber(Fn.lengthOf(Fn.split("\n", Token.asString(Fn.nonsensitive(token.value)))))),
    }),
  "module input": (stack, { token, stage }) => {
    const source = join(stage.scratch.folder, "module");
    mkdirSync(source, { recursive: true });
    writeFileSync(join(source, "main.tf"), 'variable "token" {\n  type = string\n  ephemeral = true\n}\n');
    new TerraformHclModule(stack, "module", {
      source,
      skipAssetCreationFromLocalModules: true,
      variables: { token: token.value },
    });
  },
  "other stack": (_stack, { token, other }) =>
    void new ProductProvider(other, "api", { url: "http://localhost", headers: token.headers }),
};

const NOT_EPHEMERAL = {
  "resource argument": "ERR_EPHEMERAL_MISPLACED",
  output: "ERR_EPHEMERAL_OUTPUT",
  count: "ERR_EPHEMERAL_MISPLACED",
};

/** The uses that are refused at synthesis; all others work. */
const REFUSED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ephemeral: { ...NOT_EPHEMERAL, "other stack": "ERR_OTHER_STACK" },
  data: { "other stack": "ERR_OTHER_STACK" },
  synth: { ...NOT_EPHEMERAL, "other stack": "ERR_OTHER_STACK" },
  "synth with allowInState": { "other stack": "ERR_OTHER_STACK" },
};

const REMEDY: Readonly<Record<string, RegExp>> = {
  ERR_EPHEMERAL_MISPLACED: /TokenResolution\.DATA|allowInState/,
  ERR_EPHEMERAL_OUTPUT: /TokenResolution\.DATA|allowInState/,
  ERR_OTHER_STACK: /reopenIn/,
};

scenarios("each way by each use", (stage) => {
  async function synthesize(way: string, uses: readonly string[]): Promise<string> {
    const outdir = join(stage().scratch.folder, "out");
    const app = new App({ outdir });
    const stack = new TerraformStack(app, "main");
    const other = new TerraformStack(app, "other");
    for (const each of [stack, other]) new LocalBackend(each, { path: "terraform.tfstate" });
    const scope = TokenScope.project("web");
    const token = new ServiceUserToken(stack, "web", { identity: identityIn(stack, stage()), scope, ...WAYS[way] });
    for (const use of uses) USES[use]?.(stack, { token, stage: stage(), other });
    await resolveTokens(app, { environment: stage().secrets, stream: { write: () => true } });
    app.synth();
    return join(outdir, "stacks", "main");
  }

  const cells = Object.keys(WAYS).flatMap((way) => Object.keys(USES).map((use) => ({ way, use, code: REFUSED[way]?.[use] })));

  test.each(cells.flatMap(({ code, ...cell }) => (code === undefined ? [] : [{ ...cell, code }])))(
    "$way: $use is refused at synthesis with a remedy ($code)",
    async ({ way, use, code }) => {
      const refusal = await synthesize(way, [use]).then(() => "", String);
      expect(refusal).toContain(`[${code}]`);
      expect(refusal).toMatch(REMEDY[code] ?? /$^/);
    },
  );

  test.each(Object.keys(WAYS))("%s: everything else works", async (way) => {
    const works = cells.filter((cell) => cell.way === way && cell.code === undefined).map(({ use }) => use);
    const folder = await synthesize(way, works);
    installLocalProvider("product", folder);
    installLocalProvider("store", folder);
    await stage().succeed(folder, ["init"]);
    await stage().succeed(folder, ["apply", "-auto-approve"]);
    const outputs = JSON.parse((await stage().succeed(folder, ["output", "-json"])).stdout) as Record<string, { value: unknown }>;
    expect(outputs.status?.value).toBe(200);
  });
});
