import { readFileSync } from "node:fs";
import { join } from "node:path";
import { App, LocalBackend, TerraformStack } from "cdktf";
import {
  RotationSchedule,
  resolveTokens,
  ServiceUserToken,
  type ServiceUserTokenProps,
  TokenResolution,
  TokenScope,
} from "../../lib";
import { packageRoot } from "../support/project";
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

/** Uses that no token serves. */
const NEVER = { "`replace_triggered_by`": "ERR_TOKEN_MISPLACED", "other stack": "ERR_OTHER_STACK" };

const NOT_EPHEMERAL = {
  ...NEVER,
  "stored argument": "ERR_EPHEMERAL_MISPLACED",
  output: "ERR_EPHEMERAL_OUTPUT",
  "`count`, `for_each`": "ERR_EPHEMERAL_MISPLACED",
};

/** The uses that are refused at synthesis; all others work, or are doubtful. */
const REFUSED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ephemeral: NOT_EPHEMERAL,
  data: NEVER,
  rotating: {
    ...NEVER,
    "provider block": "ERR_ROTATING_MISPLACED",
    "`count`, `for_each`": "ERR_ROTATING_MISPLACED",
  },
  synth: NOT_EPHEMERAL,
  "synth, `allowInState`": NEVER,
};

const REMEDY: Readonly<Record<string, RegExp>> = {
  ERR_EPHEMERAL_MISPLACED: /TokenResolution\.DATA|allowInState/,
  ERR_EPHEMERAL_OUTPUT: /TokenResolution\.DATA|allowInState/,
  ERR_OTHER_STACK: /reopenIn/,
  ERR_ROTATING_MISPLACED: /TokenResolution\.EPHEMERAL/,
  ERR_TOKEN_MISPLACED: /Remove it there\. .* rotationId/,
};

/** Ways whose values are ephemeral in Terraform. */
const EPHEMERAL: ReadonlySet<string> = new Set(["ephemeral", "synth"]);

/**
 * Warnings about uses of an ephemeral value, because only Terraform knows the schema of the
 * resource. The module here is local, and declares its variable with ephemeral = true.
 */
const DOUBTFUL: Readonly<Record<string, RegExp>> = {
  "other argument": /argument name gets the ephemeral token .*WriteOnlyArguments/,
};

/** The effect of a data token, which is another one at each apply, on a place that stores it. */
const NOTES: Readonly<Record<string, string>> = {
  "stored argument": "replaced at every apply",
  "other argument": "changed or replaced at every apply",
  output: "changes at every apply",
};

interface Cell {
  readonly way: string;
  readonly use: string;
  readonly outcome: string;
}

const CELLS: readonly Cell[] = Object.keys(WAYS).flatMap((way) =>
  Object.keys(USES).map((use) => ({ way, use, outcome: outcomeOf(way, use) })),
);

function outcomeOf(way: string, use: string): string {
  const code = REFUSED[way]?.[use];
  if (code !== undefined) return code;
  return EPHEMERAL.has(way) && use in DOUBTFUL ? "warning" : "works";
}

scenarios(
  "each way by each use",
  (stage) => {
    /** Synthesizes both stacks, and gives their folder and the warnings. */
    async function synthesize(
      way: string,
      uses: readonly string[],
    ): Promise<{ folder: string; warnings: readonly string[] }> {
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
      await resolveTokens(app, { environment: stage().secrets, stream: { write: () => true } });
      app.synth();
      const warnings = app.node
        .findAll()
        .flatMap(({ node }) => node.metadata.filter(({ type }) => type === "@cdktf/warn"));
      return { folder: join(outdir, "stacks"), warnings: warnings.map(({ data }) => String(data)) };
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

    test.each(
      CELLS.filter(({ outcome, use }) => outcome === "warning" && use === "other argument"),
    )(
      "$way: an $use is warned of at synthesis, and is Terraform's to refuse",
      async ({ way, use }) => {
        const { folder, warnings } = await synthesize(way, [use]);
        expect(warnings).toEqual([expect.stringMatching(DOUBTFUL[use] ?? /$^/)]);
        await expect(apply(join(folder, "main"))).rejects.toThrow(/Invalid use of ephemeral value/);
      },
    );

    test.each(Object.keys(WAYS))("%s: the right token comes to every other use", async (way) => {
      const cells = CELLS.filter((cell) => cell.way === way && !cell.outcome.startsWith("ERR_"));
      const uses = cells
        .map(({ use }) => use)
        .filter((use) => use !== "other argument" || !EPHEMERAL.has(way));
      const { folder, warnings } = await synthesize(way, uses);
      const expected = uses.flatMap((use) => (EPHEMERAL.has(way) && DOUBTFUL[use]) || []);
      expect(warnings.filter((text) => text.includes("ephemeral token"))).toEqual(
        expected.map((text) => expect.stringMatching(text)),
      );

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

test("docs/using-tokens.md has the same table", () => {
  const text = readFileSync(join(packageRoot, "docs/using-tokens.md"), "utf8");
  const table = /^\| where the token is used \|.*\n(?:\|.*\n)+/m.exec(text)?.[0] ?? "";
  const rows = table
    .trimEnd()
    .split("\n")
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
  const [[, ...ways] = [], , ...lines] = rows;
  const printed = lines.flatMap(([use = "", ...cells]) =>
    ways.map(
      (way, index): Cell => ({
        way,
        use: use.replace(/ \(.*\)$/, ""),
        outcome: (cells[index] ?? "").replace(/^`(ERR_\w+)`$/, "$1"),
      }),
    ),
  );
  const key = ({ way, use, outcome }: Cell) => `${way}, ${use}: ${outcome}`;
  const noted = (cell: Cell) =>
    cell.way === "data" && NOTES[cell.use] !== undefined
      ? { ...cell, outcome: `${cell.outcome}, ${NOTES[cell.use]}` }
      : cell;
  expect(printed.map(key).sort()).toEqual(CELLS.map(noted).map(key).sort());
});
