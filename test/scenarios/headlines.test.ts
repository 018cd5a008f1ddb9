import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  DataResource,
  Fn,
  TerraformCount,
  TerraformHclModule,
  TerraformIterator,
  TerraformOutput,
  type TerraformStack,
  Token,
} from "cdktf";
import { type ServiceUserToken, TokenResolution } from "../../lib";
import { underOpenTofu } from "../support/open-tofu";
import { testIf } from "../support/skips";
import { tableOf } from "../support/uses-table";
import { identityIn, localExec, type Scenario, scenarios, webToken } from "./world";

type Tokens = Readonly<Record<"ephemeral" | "data" | "rotating", ServiceUserToken>>;

/** A use in a block with this name. */
type Declare = (stack: TerraformStack, id: string, tokens: Tokens, stage: Scenario) => unknown;

/** By the rows of the page, what Terraform refuses; it reports no more than one phase's errors. */
const PHASES: readonly (readonly [command: string, uses: Readonly<Record<string, Declare>>])[] = [
  [
    "validate",
    {
      "an ephemeral token in an argument that is not write-only": (stack, id, { ephemeral }) =>
        new DataResource(stack, id, { input: { token: ephemeral.value } }),
      "an ephemeral token in a module's variable": (stack, id, { ephemeral }, { scratch }) => {
        const source = join(scratch.folder, "module");
        mkdirSync(source);
        writeFileSync(join(source, "main.tf.json"), '{"variable":{"token":{"type":"string"}}}');
        const variables = { token: ephemeral.value };
        new TerraformHclModule(stack, id, {
          source,
          skipAssetCreationFromLocalModules: true,
          variables,
        });
      },
    },
  ],
  [
    "plan",
    {
      "a rotating token in `count`": (stack, id, { rotating }) =>
        new DataResource(stack, id, {
          count: TerraformCount.of(Token.asNumber(Fn.lengthOf(Fn.split("-", rotating.value)))),
        }),
      "a rotating token in `for_each`": (stack, id, { rotating }) =>
        new DataResource(stack, id, {
          forEach: TerraformIterator.fromList(Fn.split("-", rotating.value)),
        }),
      "a token as a key of `for_each`": (stack, id, { data }) =>
        new DataResource(stack, id, { forEach: TerraformIterator.fromList([data.value]) }),
      "a token in an output without `sensitive: true`": (stack, id, { data }) =>
        new TerraformOutput(stack, id, { value: data.value }),
    },
  ],
  [
    "validate",
    {
      "a token in a provisioner that runs at destroy": (stack, id, { ephemeral }) => {
        const [provisioner] = localExec("true", ephemeral.environment("API")).provisioners;
        const provisioners = [{ ...provisioner, when: "destroy" } as const];
        new DataResource(stack, id, { provisioners: provisioners as never });
      },
    },
  ],
];

// docs/using-tokens.md: Terraform judges the rest at plan
scenarios("what Terraform refuses", (stage) => {
  testIf(!underOpenTofu(), "OpenTofu has other words")(
    "has the headlines of docs/using-tokens.md",
    async () => {
      const outdir = join(stage().scratch.folder, "out");
      const found: (readonly [use: string, headline: unknown])[] = [];
      for (const [command, uses] of PHASES) {
        const entries = Object.entries(uses);
        const folder = stage().stack(
          (stack) => {
            const identity = identityIn(stack, stage());
            const tokenBy = (id: keyof Tokens, resolution: TokenResolution) =>
              webToken(stack, stage(), { id, identity, resolution });
            const tokens = {
              ephemeral: tokenBy("ephemeral", TokenResolution.ephemeral()),
              data: tokenBy("data", TokenResolution.data()),
              rotating: tokenBy("rotating", TokenResolution.rotating()),
            };
            for (const [index, [, declare]] of entries.entries())
              declare(stack, `use${index}`, tokens, stage());
          },
          "main",
          outdir,
        );
        if (found.length === 0) await stage().succeed(folder, ["init"]);
        const { text } = await stage().terraform(folder, [command, "-json"]);
        const headlines = headlinesIn(text);
        for (const [index, [use]] of entries.entries())
          found.push([use, headlines.get(`use${index}`)]);
        expect(headlines.size).toBe(entries.length);
      }
      const [, ...rows] = tableOf("use");
      expect(new Map(found)).toEqual(new Map(rows.map(([use = "", headline]) => [use, headline])));
    },
  );
});

interface Diagnostic {
  readonly summary: string;
  /** Where it is: a block as `resource.terraform_data.use0`, and the lines. */
  readonly snippet: object;
}

/** The headlines by the names of blocks: `plan` prints a line for each, `validate` an object. */
function headlinesIn(text: string): ReadonlyMap<string | undefined, string> {
  const printed: readonly { diagnostic?: Diagnostic; diagnostics?: Diagnostic[] }[] =
    text.startsWith('{"')
      ? text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
      : [JSON.parse(text)];
  return new Map(
    printed
      .flatMap(({ diagnostic, diagnostics = [] }) => [diagnostic ?? [], diagnostics].flat())
      .map(({ summary, snippet }) => [/use\d/.exec(JSON.stringify(snippet))?.[0], summary]),
  );
}
