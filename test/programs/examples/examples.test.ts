import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { scenarios } from "../../scenarios/world";
import { goClient } from "../../support/go-clients";
import { installProvider } from "../../support/go-providers";
import { LoopbackServer } from "../../support/loopback-server";
import { blocksOf, readPage } from "../../support/pages";
import { packageRoot } from "../../support/project";
import { testIf } from "../../support/skips";
import { FRAMEWORK } from "../../support/terrain";
import { type Example, openExample } from "./example";
import { type Applied, serveStandIns } from "./stand-ins";

jest.setTimeout(300_000);

const LOCAL_STATE = JSON.stringify({ terraform: { backend: { local: { path: "../state" } } } });
const VALUES = "iam-tokens.auto.tfvars.json";
const openstackSignIn = goClient("the sign-in of the OpenStack provider");
const notBuilt = testIf(false, "the sign-in of the OpenStack provider is not built here");

/** An object storage: what it got, each with its token. */
let stored: (string | undefined)[][] = [];
const storage = new LoopbackServer(
  createServer(({ method, url, headers }, response) => {
    stored.push([method, url, String(headers["x-auth-token"])]);
    response.writeHead(201).end();
  }),
);

type Env = Readonly<Record<string, string>>;

interface Job {
  readonly env: Env;
  readonly steps: readonly { readonly run?: string; readonly env?: Env }[];
}

/** The steps of a workflow's only job that a machine has besides GitHub's, with their variables. */
function stepsOf(workflow: string, secrets: Env) {
  const text = workflow.replace(/\$\{\{ secrets\.(\w+) \}\}/g, (_, name) => secrets[name] ?? "");
  const { jobs } = parse(text) as { readonly jobs: Readonly<Record<string, Job>> };
  // The one before it installs packages, without a secret.
  const job = Object.values(jobs).at(-1);
  return (job?.steps ?? []).flatMap(({ run, env }) =>
    run === undefined || run.startsWith("tar ") ? [] : [{ run, env: { ...job?.env, ...env } }],
  );
}

/** Examples whose README.md says what their commands print. */
const STORIES = ["quick-start", "three-stacks", "rotation", "no-password", "plain-hcl", "jest"];
/**
 * CDKTF's command line takes ten seconds for each of its commands. Under that of CDK Terrain, the
 * others are only synthesized: what they do then, Terraform does.
 */
const IN_TERRAIN = ["quick-start", "plain-hcl", "jest", "github-actions"];
const isRunHere = (name: string) => FRAMEWORK === "cdktf" || IN_TERRAIN.includes(name);
/** A test of an example that CDK Terrain only synthesizes. */
const testOfCdktf = (name: string, run: () => Promise<void>) => {
  if (FRAMEWORK === "cdktf") test(name, run);
};

/** Those that the tests below run with a stand-in, or in another place. */
const RECIPES = ["vault", "rest-api", "openstack", "hcp-terraform", "github-actions"];

test("each folder of examples is run, and listed in its README.md", () => {
  const folders = readdirSync(join(packageRoot, "examples"), { withFileTypes: true });
  const names = folders.filter((each) => each.isDirectory()).map(({ name }) => name);
  expect(names.sort()).toEqual([...STORIES, ...RECIPES].sort());
  const list = readPage("examples/README.md");
  expect(names.filter((name) => !list.includes(`](${name}/README.md)`))).toEqual([]);
});

testOfCdktf(
  "the app of a checkout is the quick start, needs one variable and stays as it is",
  async () => {
    const out = mkdtempSync(join(tmpdir(), "out-"));
    const settings = readPage("cdktf.json");
    const { STATIC_TOKEN: _, ...env } = process.env;
    const options = { cwd: packageRoot, env };
    await promisify(execFile)("npx", ["cdktf", "synth", "--output", out], options);
    const stack = readFileSync(join(out, "stacks/quick-start/cdk.tf.json"), "utf8");
    expect([...stack.matchAll(/(?:password_)?env": "(\w+)"/g)].map(([, name]) => name)).toEqual([
      "SERVICE_USER_PASSWORD",
    ]);
    expect(readPage("cdktf.json")).toBe(settings);
    rmSync(out, { recursive: true });
  },
);

scenarios(
  "an example",
  (stage) => {
    let standIns: Awaited<ReturnType<typeof serveStandIns>>;
    let apply: (applied: Applied) => Promise<void> | void;
    let applied: Applied[];
    /** What Vault holds. */
    let held: Readonly<Record<string, string>> | null | undefined;
    let example: Example | undefined;
    beforeAll(async () => {
      standIns = await serveStandIns(
        (each) => apply(each),
        () => held,
      );
      await storage.listen();
    });
    afterAll(async () => {
      await storage.close();
      await standIns.close();
    });
    beforeEach(() => {
      applied = [];
      stored = [];
      apply = (each) => void applied.push(each);
    });
    afterEach(() => example?.remove());

    async function open(name: string, env: Env = {}) {
      example = await openExample(stage(), name, { ...standIns.env, ...env });
      const [commands = ""] = example.commands;
      return { ...example, deploy: commands.replace(/deploy$/m, "deploy --auto-approve") };
    }

    test.each(STORIES.filter(isRunHere))(
      "%s prints what its README.md says, and leaves no secret but in a state",
      async (name) => {
        const { api, identity, scratch } = stage();
        const { bash, commands, folder, leaks, lines } = await open(name, {
          API_URL: api.url,
          ...(name === "no-password" ? identity.githubActions({ sub: "repo:example/shop" }) : {}),
          // cdktf's Testing.app() and jest leave folders there.
          ...(name === "jest" ? { TMPDIR: scratch.home } : {}),
        });
        if (name === "rotation")
          await installProvider(join(folder, "cdktf.out/stacks/rotating"), "null", "3.2.4");
        for (const block of commands) await bash(block);
        if (name === "rotation")
          expect(stage().calls()).toEqual(Array(4).fill("/projects/web project web 200"));
        const [block] = blocksOf(`examples/${name}/README.md`, "text");
        const expected = block?.text.trim().split("\n") ?? [];
        expect(expected).not.toEqual([]);
        const printed = lines();
        expect(expected.filter((line) => !printed.includes(line))).toEqual([]);
        const inState = ["quick-start", "rotation"].includes(name) ? /\.tfstate(\.backup)?$/ : /^$/;
        expect(leaks().filter((where) => !inState.test(where))).toEqual([]);
      },
    );

    for (const name of [...STORIES, ...RECIPES].filter((each) => !isRunHere(each)))
      test(`${name} is synthesized`, async () => {
        const { folder, commands, bash } = await open(name, { API_URL: stage().api.url });
        const [get = ":"] = commands[0]?.match(/^.* get$/m) ?? [];
        // With the settings, as the command line passes them.
        await bash(`${get}\nCDKTF_CONTEXT_JSON="$(cat cdktf.json)" node --import tsx main.ts`);
        expect(readdirSync(join(folder, "cdktf.out/stacks")).length).toBeGreaterThan(0);
      });

    testOfCdktf(
      "vault: from the first deploy to the destroy, with a push that failed, and a secret that was lost",
      async () => {
        const { deploy, bash, leaks } = await open("vault");
        // The page on CDK Terrain says what that needs for write-only arguments.
        const [settings] = blocksOf("docs/terrain.md", "json").slice(-1);
        expect(JSON.parse(readPage("examples/vault/cdktf.json"))).toMatchObject(
          JSON.parse(settings?.text ?? ""),
        );
        apply = (each) => {
          applied.push(each);
          held = JSON.parse(String(each.config.data_json_wo));
        };
        await bash(deploy);
        const run = (command: string, isStored = true) =>
          bash(deploy.replace(/.* get\n/, "").replace("deploy", command), {
            TF_VAR_token_is_stored: `${isStored}`,
          });
        // As after a push that failed, or a restore.
        held = { ...held, token: "yesterday's" };
        await run("deploy");
        // As after `vault kv delete`: a secret without data.
        held = null;
        await run("deploy");
        const pushed = applied.map(({ config }) => JSON.parse(String(config.data_json_wo)));
        expect(new Set(pushed.map(({ token }) => token)).size).toBe(3);
        for (const { header, token } of pushed) {
          expect(header).toBe("X-Auth-Token");
          expect(stage().identity.describeToken(token)).toMatchObject({
            status: "valid",
            project: "web",
          });
        }
        held = undefined;
        await expect(run("deploy")).rejects.toThrow("no secret found");
        await run("destroy", false);
        expect(leaks()).toEqual([]);
      },
    );

    testOfCdktf("rest-api: each product area gets its kind of token, in its header", async () => {
      const { deploy, bash, leaks } = await open("rest-api", { API_URL: "https://api.test" });
      await bash(deploy);
      const { identity, staticToken } = stage();
      const kinds = applied.map(({ block: { uri, headers } }) => {
        const [[name, value] = []] = Object.entries(headers as Env);
        const iam = identity.describeToken(value ?? "");
        const kind = iam.status === "unknown" ? value === staticToken && "static_token" : iam.kind;
        return [uri, name, kind].map(String).join(" ");
      });
      expect(kinds.sort()).toEqual([
        "https://api.test/databases X-Auth-Token iam_token_project_scoped",
        "https://api.test/users X-Auth-Token iam_token_account_scoped",
        "https://api.test/zones X-Token static_token",
      ]);
      expect(leaks()).toEqual([]);
    });

    (openstackSignIn === null ? notBuilt : testOfCdktf)(
      "openstack: the provider uses the token itself, and its revocation ends all",
      async () => {
        const { deploy, bash, leaks } = await open("openstack");
        // A program signs in and creates the container, by the library that the provider has.
        apply = async ({ block, config }) => {
          const running = promisify(execFile)(openstackSignIn ?? "", [String(config.name)]);
          running.child.stdin?.end(
            JSON.stringify(block, (_, value) => (value === false ? "false" : value)),
          );
          await running;
        };
        await bash(deploy);
        const { identity } = stage();
        const [[method, path, token] = []] = stored;
        expect([method, path]).toEqual(["PUT", "/v1/AUTH_web/backups"]);
        expect(identity.describeToken(token ?? "")).toMatchObject({
          status: "revoked",
          kind: "iam_token_project_scoped",
          project: "web",
        });
        // Each was issued for the service user, and revoked; none in exchange.
        const methods = identity.journal.map(({ method }) => method);
        const count = (method: string) => methods.filter((each) => each === method).length;
        expect(count("POST")).toBe(count("DELETE"));
        expect(identity.issuedTokens().filter((token) => identity.isValid(token))).toEqual([]);
        expect(leaks()).toEqual([]);
      },
    );

    testOfCdktf(
      "hcp-terraform: makes a folder that applies where there is no Node.js, no password and no provider",
      async () => {
        const { api, calls, scratch } = stage();
        const { folder, commands, bash, leaks } = await open("hcp-terraform", {
          API_URL: `${api.url}/projects/web`,
        });
        const [synthesize = ""] = commands[0]?.split("\n") ?? [];
        await bash(synthesize);
        const stack = join(folder, "cdktf.out/stacks/web");
        const { terraform } = JSON.parse(readFileSync(join(stack, "cdk.tf.json"), "utf8"));
        expect(terraform.cloud).toMatchObject({ organization: "example" });
        expect(terraform.required_providers).toBeUndefined();
        expect(existsSync(join(stack, "terraform.d"))).toBe(false);
        expect(statSync(join(stack, VALUES)).mode & 0o777).toBe(0o600);

        // The uploaded files, on another machine; its state is there instead of at HCP Terraform.
        const remote = join(folder, "remote");
        cpSync(stack, remote, { recursive: true });
        writeFileSync(join(remote, "state_override.tf.json"), LOCAL_STATE);
        const bin = join(scratch.folder, "bin");
        await bash(
          `mkdir ${bin} && ln -s $(command -v terraform) $(command -v curl) $(command -v sh) ${bin}
      cd remote && PATH=${bin} && terraform init && terraform plan -out=saved && terraform apply saved`,
          { SERVICE_USER_PASSWORD: "" },
        );
        expect(calls()).toEqual(["/projects/web project web 200"]);
        for (const each of [stack, remote]) rmSync(join(each, VALUES));
        expect(stage().identity.issuedTokens()).toHaveLength(1);
        expect(leaks()).toEqual([]);
      },
    );

    test("github-actions: the workflows issue a token once, and notice its rotation", async () => {
      const { folder, commands, bash } = await open("github-actions");
      const [copy = "", name = ""] = commands;
      await bash(copy);
      await bash(name.replace("https://identity.example.net", stage().identity.authUrl));
      // As its page says.
      if (FRAMEWORK === "cdktn")
        await bash("sed -i 's|^\\( *\\)STACK: production|&\\n\\1CDK: cdktn|' .github/workflows/*");
      const main = readFileSync(join(folder, "main.ts"), "utf8");
      expect(main).toContain("postgres://terraform@db.example.net/");
      const stack = join(folder, "cdktf.out/stacks/production");
      mkdirSync(stack, { recursive: true });
      writeFileSync(join(stack, "state_override.tf.json"), LOCAL_STATE);

      const secrets = { ...stage().secrets, PGPASSWORD: "canary-of-the-database" };
      const run = async (workflow: string) => {
        const text = readFileSync(join(folder, `.github/workflows/${workflow}.yml`), "utf8");
        expect(text).toContain(stage().identity.authUrl);
        let printed = "";
        for (const { run, env } of stepsOf(text, secrets)) {
          // A check of the schedule needs no secret.
          const needed = run.includes("iam-tokens schedule")
            ? {}
            : { PGPASSWORD: secrets.PGPASSWORD };
          expect(env).toMatchObject(needed);
          printed += await bash(run, env);
        }
        return printed;
      };
      expect(await run("re-apply")).toContain("Apply complete! Resources: 1 added");
      expect(await run("re-apply")).toContain("Apply complete! Resources: 0 added, 0 changed");
      expect(await run("check-rotation")).toMatch(/The next rotation is due at \d{4}-/);
      expect(stage().identity.issuedTokens()).toHaveLength(1);
    });
  },
  {
    config: {
      identityProviders: [
        {
          id: "github",
          issuer: "https://token.actions.githubusercontent.com",
          audience: "https://cloud.api.example.com",
          permission: { account: true, projects: ["web"] },
        },
      ],
      // Read when a stage opens.
      get catalog() {
        const url = `${storage.url}/v1/AUTH_web/`;
        const endpoints = [{ interface: "public", region: "RegionOne", url }];
        return [{ type: "object-store", name: "swift", endpoints }];
      },
    },
  },
);
