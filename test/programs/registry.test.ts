import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { App, TerraformStack } from "cdktf";
import { unzipSync, zipSync } from "fflate";
import { TokenResolution, TokenScope } from "../../lib";
import { packageVersion } from "../../lib/delivery/package-root";
import { findProgram } from "../../lib/provider/process/find-program";
import { REQUESTS_OF_APPLY, StackOf, scenarios, webToken } from "../scenarios/world";
import { startCommand } from "../support/command";
import { openTofu } from "../support/open-tofu";
import {
  cannotPack,
  OLDER,
  packRelease,
  pageModule,
  type Registry,
  type Release,
  serveRegistry,
} from "../support/registry";
import { testIf } from "../support/skips";
import { terraformBinary, terraformEnvironment } from "../support/terraform";

// Five archives are packed and downloaded.
jest.setTimeout(300_000);

const CONTEXT = "cdktf-iam-tokens:providerSource";

/** The page's module, with a token that is stored as well. */
function moduleOf(source: string, version: string, authUrl: string): string {
  const module = pageModule(`{\n source  = "${source}"\n version = "${version}"\n}`, authUrl);
  return `${module}\nresource "iam_token" "stored" {\n  scope = "account"\n}\n`;
}

const TERRAFORM = findProgram(terraformBinary(), process.env.PATH ?? "");

let release: Release;

beforeAll(() => {
  if (cannotPack() === "") release = packRelease();
});

afterAll(() => release?.remove());

scenarios("docs/without-npm.md", (stage) => {
  let registry: Registry;

  beforeEach(async () => {
    if (release !== undefined) registry = await serveRegistry(release);
  });

  afterEach(() => registry?.close());

  /**
   * Runs a program, by default Terraform, on a machine whose `node` does not work, and that trusts
   * the registry. A failure is an error.
   */
  function onMachine(program = TERRAFORM ?? "") {
    const { scratch, password } = stage();
    const bin = join(scratch.folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "node"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const ca = join(scratch.folder, "registry.pem");
    writeFileSync(ca, registry.certificate);
    const env = {
      ...terraformEnvironment(scratch),
      PATH: `${bin}:/usr/bin:/bin`,
      SSL_CERT_FILE: ca,
      SERVICE_USER_PASSWORD: password,
      TF_CLI_CONFIG_FILE: "/dev/null",
    };
    return async (cwd: string, args: string) => {
      const words = args.split(" ");
      const { exitCode, text } = await startCommand(program, words, { cwd, env }).finished;
      if (exitCode !== 0) throw new Error(`${args}: ${text}`);
      return text;
    };
  }

  const programs = [
    ["Terraform", TERRAFORM],
    ["OpenTofu", openTofu() ?? undefined],
  ] as const;

  for (const [name, program] of programs)
    testIf(cannotPack() === "" && program !== undefined, cannotPack() || `${name} is not here`)(
      `${name} gets it by init from a registry, uses a token, plans nothing more, and upgrades`,
      async () => {
        const { scratch, identity } = stage();
        const terraform = onMachine(program);
        const folder = join(scratch.folder, "module");
        mkdirSync(folder);
        const write = (version: string) =>
          writeFileSync(
            join(folder, "main.tf"),
            moduleOf(registry.source, version, identity.authUrl),
          );

        write(OLDER);
        expect(await terraform(folder, "init")).toMatch(/v0\.0\.1 \((self-)?signed, key ID \w+\)/);
        await terraform(folder, "apply -auto-approve");
        expect(stage().calls()).toEqual(["/account account 200"]);
        expect(stage().requests()).toBe(2 * REQUESTS_OF_APPLY);

        write(packageVersion());
        await terraform(folder, "init -upgrade");
        expect(await terraform(folder, "plan -detailed-exitcode")).toContain("No changes");
        const lock = "-platform=linux_amd64 -platform=darwin_arm64 -platform=windows_amd64";
        await terraform(folder, `providers lock ${lock}`);
        expect(
          readFileSync(join(folder, ".terraform.lock.hcl"), "utf8").match(/"h1:/g),
        ).toHaveLength(3);
        await terraform(folder, "providers mirror -platform=linux_arm64 ../mirror");
        const archive = `terraform-provider-iam_${packageVersion()}_linux_arm64.zip`;
        expect(existsSync(join(scratch.folder, "mirror", registry.source, archive))).toBe(true);
      },
    );

  testIf(cannotPack() === "", cannotPack())(
    "a stack with an ephemeral token is planned in one job and applied in another, of an artifact without run bits, where only Terraform is",
    async () => {
      const { scratch, password } = stage();
      const terraform = onMachine();
      const folder = stage().stack((stack) => {
        stack.node.setContext(CONTEXT, registry.source);
        const token = webToken(stack, stage(), { scope: TokenScope.account() });
        stack.addOverride("resource.terraform_data.call.provisioner.local-exec", {
          command: `curl -sf -H "$NAME: $TOKEN" ${stage().api.url}/account`,
          environment: { NAME: token.headerName, TOKEN: token.value },
        });
      });
      await terraform(folder, "init");
      await terraform(folder, "plan -out=saved");
      const artifact = zipSync(
        Object.fromEntries(
          ["cdk.tf.json", ".terraform.lock.hcl", "saved"].map((name) => [
            name,
            readFileSync(join(folder, name)),
          ]),
        ),
      );
      const elsewhere = join(scratch.folder, "elsewhere");
      mkdirSync(elsewhere);
      for (const [name, content] of Object.entries(unzipSync(artifact)))
        writeFileSync(join(elsewhere, name), content);
      await terraform(elsewhere, "init");
      await terraform(elsewhere, "apply saved");
      expect(stage().calls()).toEqual(["/account account 200"]);
      expect(Buffer.from(artifact).includes(password)).toBe(false);
    },
  );

  testIf(cannotPack() === "", cannotPack())(
    "a program's context requires it from there; run attaches under that address; a state moves by replace-provider, and nothing changes",
    async () => {
      const { scratch, identity } = stage();
      const terraform = onMachine();
      const build = (stack: TerraformStack) =>
        void webToken(stack, stage(), { resolution: TokenResolution.rotating() });
      const outdir = join(scratch.folder, "out");

      // With the package's provider, on a machine with Node.js.
      const folder = stage().stack(build, "main", outdir);
      const here = { PATH: process.env.PATH ?? "" };
      for (const args of ["init", "apply -auto-approve"])
        await stage().succeed(folder, args, { SERVICE_USER_PASSWORD: stage().password, ...here });

      const moved = (app: App) => {
        app.node.setContext(CONTEXT, registry.source);
        new StackOf(app, "main", build);
      };
      stage().synth(moved, outdir);
      const addresses = `npm.invalid/cdktf-iam-tokens/iam ${registry.source}`;
      await terraform(folder, `state replace-provider -auto-approve ${addresses}`);
      await terraform(folder, "init -upgrade");
      expect(await terraform(folder, "plan -detailed-exitcode")).toContain("No changes");

      const requests = stage().requests();
      const { exitCode, text } = await stage().cli(
        [
          ...["run", "--provider-source", registry.source, "--"],
          ...["sh", "-c", `"${terraformBinary()}" plan -no-color`],
        ],
        { cwd: folder, env: { SERVICE_USER_PASSWORD: stage().password } },
      );
      expect([exitCode, text]).toEqual([0, expect.stringContaining("No changes")]);
      expect(requests).toBe(1);
      const { text: verified } = await stage().cli(
        ["verify", "--state", "terraform.tfstate", "--auth-url", identity.authUrl],
        { cwd: folder },
      );
      expect(verified).toContain("alive");
    },
  );
});
