import { join } from "node:path";
import { App, LocalBackend, TerraformStack } from "cdktf";
import {
  RotationSchedule,
  ServiceUserToken,
  type ServiceUserTokenProps,
  TokenResolution,
  TokenScope,
} from "../../lib";
import { resolveTokensIn } from "../../lib/resolution/resolve-tokens";
import { tableOf, usesTable } from "../support/uses-table";
import { scenarios } from "./scenario";
import { identityIn } from "./stacks";
import { type Applied, USES } from "./uses";

/** The ways that a token can be resolved. */
const WAYS: Readonly<Record<string, Partial<ServiceUserTokenProps>>> = {
  ephemeral: {},
  data: { resolution: TokenResolution.DATA },
  rotating: { resolution: TokenResolution.ROTATING, schedule: RotationSchedule.every("6h") },
  synth: { resolution: TokenResolution.SYNTH },
  "synth, `allowInState`": { resolution: TokenResolution.SYNTH, allowInState: true },
};

const REMEDY: Readonly<Record<string, RegExp>> = {
  ERR_EPHEMERAL_MISPLACED: /TokenResolution\.DATA.*allowInState/,
  ERR_EPHEMERAL_OUTPUT: /TokenResolution\.DATA.*allowInState/,
  ERR_OTHER_STACK: /reopenIn/,
  ERR_ROTATING_MISPLACED: /TokenResolution\.EPHEMERAL/,
};

const CELLS = usesTable();

/** What the second table of the page has Terraform say. */
const headlineOf = (use: string): string =>
  tableOf("use").find(([row = ""]) => row.includes(use))?.[1] ?? "(not in the table)";

scenarios(
  "each way by each use",
  (stage) => {
    /** Synthesizes both stacks, and gives their folder. */
    async function synthesize(way: string, uses: readonly string[]): Promise<string> {
      const outdir = join(stage().scratch.folder, "out");
      const app = new App({ outdir });
      const stack = new TerraformStack(app, "main");
      const other = new TerraformStack(app, "other");
      for (const each of [stack, other]) new LocalBackend(each, { path: "terraform.tfstate" });
      const scope = TokenScope.project("web");
      const token = new ServiceUserToken(stack, "web", {
        identity: identityIn(stack, stage()),
        scope,
        ...WAYS[way],
      });
      for (const use of uses) USES[use]?.declare(stack, { token, stage: stage(), other });
      await resolveTokensIn(
        app,
        {},
        { environment: stage().secrets, stream: { write: () => true } },
      );
      app.synth();
      return join(outdir, "stacks");
    }

    async function apply(folder: string): Promise<Applied> {
      await stage().succeed(folder, ["init"]);
      await stage().succeed(folder, ["apply", "-auto-approve"]);
      const { values } = JSON.parse(
        (await stage().succeed(folder, ["show", "-json"])).stdout,
      ) as State;
      const { root_module: root, outputs = {} } = values ?? {};
      const resources = [root, ...(root?.child_modules ?? [])].flatMap(
        (module) => module?.resources ?? [],
      );
      return {
        stage: stage(),
        outputs,
        resources: Object.fromEntries(resources.map((each) => [each.address, each.values])),
      };
    }

    test.each(CELLS.filter(({ outcome }) => outcome.startsWith("ERR_")))(
      "$way: $use is refused at synthesis with a remedy ($outcome)",
      async ({ way, use, outcome }) => {
        const refusal = await synthesize(way, [use]).then(() => "", String);
        expect(refusal).toContain(`[${outcome}]`);
        expect(refusal).toMatch(REMEDY[outcome] ?? /$^/);
      },
    );

    test.each(CELLS.filter(({ outcome }) => outcome === "Terraform refuses"))(
      "$way: $use is refused by Terraform, as the page says",
      async ({ way, use }) => {
        const folder = await synthesize(way, [use]);
        const row = use.includes("count") ? "a rotating token in `count`" : "not write-only";
        await expect(apply(join(folder, "main"))).rejects.toThrow(headlineOf(row));
      },
    );

    test.each(Object.keys(WAYS))("%s: the right token comes to every other use", async (way) => {
      const uses = CELLS.filter((cell) => cell.way === way && cell.outcome === "works").map(
        ({ use }) => use,
      );
      const folder = await synthesize(way, uses);
      const isElsewhere = (use: string) => use.startsWith("other stack");
      const main = await apply(join(folder, "main"));
      const reached = (applied: Applied) => (use: string) => [use, USES[use]?.reached(applied)];
      expect(uses.filter((use) => !isElsewhere(use)).map(reached(main))).toEqual(
        uses.filter((use) => !isElsewhere(use)).map((use) => [use, true]),
      );
      const before = stage().api.journal.length;
      const other = await apply(join(folder, "other"));
      expect(uses.filter(isElsewhere).map(reached(other))).toEqual([
        ["other stack, by `reopenIn`", true],
      ]);
      expect(stage().api.journal.length).toBeGreaterThan(before);
      expect(new Set(stage().api.journal.map(({ status }) => status))).toEqual(new Set([200]));
    });
  },
  { consumers: true },
);

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
