import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { scenarios } from "../../scenarios/scenario";
import { commandLine } from "../../support/framework";
import { blocksOf } from "../../support/pages";
import { hasPostgres, type Postgres, startPostgres } from "../../support/postgres";
import { packageRoot } from "../../support/project";
import { testIf } from "../../support/skips";
import { FRAMEWORK } from "../../support/terrain";
import { openRecipe, type Recipe } from "./recipe";

jest.setTimeout(300_000);

/** npm leaves a compile cache in the temporary folder, from Node.js 22 on. */
const OF_NPM = { npm_config_offline: "true", NODE_DISABLE_COMPILE_CACHE: "1" };

interface Step {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The steps of a workflow's only job that a machine has besides GitHub's, with their variables. */
function stepsOf(file: string, secrets: Readonly<Record<string, string>>) {
  const { jobs } = parse(readFileSync(file, "utf8")) as {
    readonly jobs: Readonly<Record<string, { readonly env: object; readonly steps: Step[] }>>;
  };
  const [job] = Object.values(jobs);
  return (job?.steps ?? []).flatMap(({ run, env = {} }) => {
    if (run === undefined || run === "npm ci") return [];
    const variables = Object.entries({ ...job?.env, ...env }).map(([name, value]) => [
      name,
      String(value).replace(/\$\{\{ secrets\.(\w+) \}\}/, (_, secret) => secrets[secret] ?? ""),
    ]);
    return [{ run, env: Object.fromEntries(variables) as Record<string, string> }];
  });
}

scenarios("the recipe for GitHub Actions", (stage) => {
  let postgres: Postgres | undefined;
  let recipe: Recipe | undefined;
  beforeAll(async () => {
    if (hasPostgres()) postgres = await startPostgres();
  });
  afterEach(() => recipe?.remove());
  afterAll(() => postgres?.stop());

  testIf(hasPostgres(), "there is no PostgreSQL server here")(
    "works as its page says: the workflows issue a token once, and notice its rotation",
    async () => {
      const { connStr = "", env: ofPostgres = {} } = postgres ?? {};
      recipe = await openRecipe(stage(), "github-actions", { STATE_DATABASE: connStr });
      const { folder, bash } = recipe;
      // What `npm i` would have linked.
      mkdirSync(join(folder, "node_modules/.bin"));
      for (const [name, target] of [
        [FRAMEWORK, commandLine()[1]],
        ["iam-tokens", join(packageRoot, "dist/cli/main.js")],
      ] as const)
        symlinkSync(target, join(folder, "node_modules/.bin", name));

      const [install, copy, names, ...others] = blocksOf("examples/github-actions/README.md", "sh");
      expect([install?.text.match(/^npm i /gm)?.length, others]).toEqual([2, []]);
      await bash(copy?.text.replace("cdktf-iam-tokens", `${FRAMEWORK}-iam-tokens`) ?? "");
      await bash(
        names?.text.replace("https://identity.example.net", stage().identity.authUrl) ?? "",
      );

      if (FRAMEWORK === "cdktn")
        await bash("sed -i 's|^\\( *\\)STACK: production|&\\n\\1CDK: cdktn|' .github/workflows/*");

      for (const name of ["re-apply", "check-rotation"])
        expect(readFileSync(join(folder, `.github/workflows/${name}.yml`), "utf8")).toContain(
          stage().identity.authUrl,
        );

      const secrets = { ...stage().secrets, ...ofPostgres };
      const run = async (name: string) => {
        let printed = "";
        const file = join(folder, ".github/workflows", `${name}.yml`);
        for (const step of stepsOf(file, secrets))
          printed += (await bash(step.run, { ...step.env, ...OF_NPM })).text;
        return printed;
      };
      expect(await run("re-apply")).toContain("Apply complete! Resources: 1 added");
      expect(await run("re-apply")).toContain("Apply complete! Resources: 0 added, 0 changed");
      expect(await run("check-rotation")).toMatch(/The next rotation is due at \d{4}-/);
      expect(stage().identity.issuedTokens()).toHaveLength(1);
    },
  );
});
