import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scanForLeaks } from "../../../lib/testing";
import { EXAMPLES } from "../../scenarios/example-runs";
import { scenarios } from "../../scenarios/scenario";
import { hasGo } from "../../support/go-build";
import { GO_PROVIDERS, installProvider } from "../../support/go-providers";
import { readPage } from "../../support/pages";
import { testIf } from "../../support/skips";
import { openRecipe, type Recipe } from "./recipe";

jest.setTimeout(300_000);

/**
 * The ways of examples/from-data-http: the files that a user writes, and the command that runs
 * first.
 */
const WAYS = [
  { name: '`data "http"`', files: ["data-http.ts"], before: "export TF_VAR_password" },
  { name: "curl in a script", files: ["curl.ts", "get-token.sh"], before: ". ./get-token.sh" },
  { name: "this package", files: ["main.ts"], before: ":" },
] as const;

/** Lines of code: neither blank nor a comment. */
const linesOf = (file: string) =>
  readFileSync(join(EXAMPLES, "from-data-http", file), "utf8")
    .split("\n")
    .filter((line) => !/^\s*(\/\/.*|#.*)?$/.test(line)).length;

scenarios("docs/compared.md", (stage) => {
  let recipe: Recipe | undefined;
  afterEach(() => recipe?.remove());

  testIf(hasGo(), "there is no Go to build hashicorp/http with")(
    "says what each way leaves behind, and how many tokens it requests",
    async () => {
      const { scratch, identity, api, secrets, password } = stage();
      const mirror = join(scratch.folder, "mirror");
      mkdirSync(mirror);
      await installProvider(mirror, "http", GO_PROVIDERS.http.release);
      // Only what needs the provider of others looks there.
      const configuration = join(scratch.folder, "mirror.tfrc");
      const path = JSON.stringify(join(mirror, "terraform.d/plugins"));
      writeFileSync(
        configuration,
        `provider_installation {\n  filesystem_mirror {\n    path = ${path}\n  }\n}\n`,
      );
      const withMirror = { TF_CLI_CONFIG_FILE: configuration };
      recipe = await openRecipe(stage(), "from-data-http", {
        ...secrets,
        AUTH_URL: identity.authUrl,
        API_URL: `${api.url}/projects/web`,
        ...withMirror,
      });
      const { bash, folder } = recipe;

      const rows: string[] = [];
      for (const { name, files, before } of WAYS) {
        // The state is where the program was started.
        const own = join(folder, `way-${files[0]}`);
        mkdirSync(own);
        const env: Record<string, string> = {
          CDKTF_OUTDIR: join(own, "out"),
          TF_VAR_password: files[0] === "data-http.ts" ? password : "",
          TF_CLI_CONFIG_FILE: files[0] === "data-http.ts" ? configuration : "",
        };
        await bash(`cd "${own}"; node --import tsx "../${files[0]}"`, env);
        const stack = join(env.CDKTF_OUTDIR ?? "", "stacks/call");
        stage().requests();
        const issued = identity.issuedTokens().length;
        const script = (command: string) => bash(`${before}; cd "${stack}"; ${command}`, env);
        await script("terraform init; terraform plan -out=saved; terraform apply saved");
        const requests = stage().requests();
        const tokens = Object.fromEntries(identity.issuedTokens().slice(issued).entries());
        const found = (canaries: Readonly<Record<string, string>>) => {
          const { findings } = scanForLeaks({ canaries, folders: [own] });
          const places = findings.map(({ where }) =>
            /\/saved\b/.test(where) ? "the saved plan" : "the state",
          );
          return [...new Set(places)].sort().join(", ") || "nothing";
        };
        const lines = files.map(linesOf).join(" + ");
        rows.push(
          `| ${name} | ${lines} | ${requests} | ${found({ password })} | ${found(tokens)} |`,
        );
      }
      expect(api.journal.map(({ status }) => status)).toEqual([200, 200, 200]);
      const table = readPage("docs/compared.md").match(/^\| (?:`data|curl|this).*$/gm);
      expect(table).toEqual(rows);
    },
  );
});
