import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { someOf } from "../support/fuzz";
import { terraformBinary } from "../support/terraform";
import { ACCOUNT, PROVIDER_SOURCE, type Scenario, scenarios, webToken, writeModule } from "./world";

type Variables = Readonly<Record<string, string>>;

const lock = (change: (text: string) => string) => (folder: string) => {
  const file = join(folder, ".terraform.lock.hcl");
  writeFileSync(file, change(readFileSync(file, "utf8")));
};
const launchersIn = (folder: string) =>
  readdirSync(join(folder, "terraform.d"), { recursive: true, encoding: "utf8" })
    .filter((name) => /terraform-provider-iam_v[\d.]+$/.test(name))
    .map((name) => join(folder, "terraform.d", name));

const ENDED = {
  ...{ Protocol: "grpc", ProtocolVersion: 6, Pid: 1, Test: true },
  Addr: { Network: "unix", String: "/not/there" },
};

interface Fault {
  readonly fault: string;
  /** The check that finds it. Default: init. */
  readonly check?: string;
  /** A part of the remedy. */
  readonly remedy: string;
  readonly breakIt?: (folder: string, stage: Scenario) => void;
  readonly variables?: Variables;
  /** The command of Terraform that fails. Default: init. */
  readonly fails?: "init" | "plan" | "none";
}

const FAULTS: readonly Fault[] = [
  {
    fault: "another hash in the lock file",
    remedy: "Look for conflict markers",
    breakIt: lock((text) => text.replace(/"h1:.{4}/g, '"h1:AAAA')),
  },
  {
    fault: "a conflict marker in the lock file",
    remedy: "Look for conflict markers",
    breakIt: lock((text) => `<<<<<<< HEAD\n${text}`),
  },
  {
    fault: "a launcher that cannot be executed",
    remedy: "chmod +x /",
    breakIt: (folder) => {
      for (const name of launchersIn(folder)) chmodSync(name, 0o644);
    },
    fails: "plan",
  },
  {
    fault: "an attached provider that has ended",
    remedy: "Unset TF_REATTACH_PROVIDERS",
    variables: { TF_REATTACH_PROVIDERS: JSON.stringify({ [PROVIDER_SOURCE]: ENDED }) },
    fails: "plan",
  },
  {
    fault: "a broken .terraformrc, of which nothing is repeated",
    check: "terraform",
    remedy: "Correct what it reports",
    breakIt: (_folder, { scratch, staticToken }) =>
      writeFileSync(
        join(scratch.home, ".terraformrc"),
        `credentials "example.com" {\n  token = ${staticToken}\n`,
      ),
    // It goes on without its configuration.
    fails: "none",
  },
];

// docs/doctor.md: finds why `terraform plan` would fail
scenarios("iam-tokens doctor", (stage) => {
  const env = (more: Variables = {}) => ({
    ...stage().secrets,
    ...{ OS_AUTH_URL: stage().identity.authUrl, OS_USER_DOMAIN_NAME: ACCOUNT },
    ...{ OS_USERNAME: "deployer", OS_PASSWORD: stage().password },
    TERRAFORM_BINARY_NAME: terraformBinary(),
    ...more,
  });

  /** The failures, as `CHECK: REMEDY`. */
  async function failuresIn(folder: string, more: Variables = {}, ...args: readonly string[]) {
    const given = ["doctor", folder, ...args];
    const { exitCode, stdout, stderr } = await stage().cli(given, { env: env(more) });
    const { password, staticToken } = stage();
    for (const secret of [password, staticToken]) expect(stdout).not.toContain(secret);
    expect(stderr).toBe("");
    const failed = [...stdout.matchAll(/^failed +(\S+) .*(?:\n +(?!->).*)*\n +-> (.*)/gm)];
    expect(exitCode).toBe(failed.length > 0 ? 1 : 0);
    return failed.map(([, check, remedy]) => `${check}: ${remedy}`);
  }

  const stack = () => stage().stack((built) => void webToken(built, stage()));

  test("finds no fault after its own init, and after terraform init, nor with --issue", async () => {
    const [own, terraforms] = [stack(), stack()];
    expect(await failuresIn(own, {}, "--init")).toEqual([]);
    await stage().succeed(own, "plan");
    await stage().succeed(terraforms, "init");
    stage().requests();
    expect(await failuresIn(terraforms, {}, "--issue", "--project", "web")).toEqual([]);
    expect(stage().requests()).toBe(1);
  });

  test("finds none after init with -plugin-dir; and with a folder without the provider, its own init is led there as Terraform's", async () => {
    const { cli, scratch, succeed, terraform } = stage();
    const [mirror, empty] = ["mirror", "empty"].map((name) => join(scratch.folder, name));
    await cli(["install", String(mirror)]);
    mkdirSync(String(empty));
    const folder = join(scratch.folder, "plain");
    writeModule(folder, 'resource "iam_rotation" "push" {\n  rotate_every = "14h"\n}\n');
    await succeed(folder, `init -plugin-dir=${mirror}`);
    expect(await failuresIn(folder)).toEqual([]);
    await succeed(folder, "plan");
    const other = stack();
    const led = { TF_CLI_ARGS_init: `-plugin-dir=${empty}` };
    expect(await failuresIn(other, led, "--init")).toEqual([
      expect.stringMatching(/^init: .*iam-tokens run --.*iam-tokens install DIR/),
    ]);
    expect((await terraform(other, "init", env(led))).exitCode).toBe(1);
  });

  test.each(someOf(FAULTS))("finds the fault of which Terraform complains: $fault", async (row) => {
    const { check = "init", remedy, breakIt, variables, fails = "init" } = row;
    const folder = stack();
    if (fails === "plan") await stage().succeed(folder, "init");
    if (fails === "none") await stage().succeed(folder, "init");
    breakIt?.(folder, stage());
    const init = fails === "init" ? ["--init"] : [];
    const [failure, ...others] = await failuresIn(folder, variables, ...init);
    expect(others).toEqual([]);
    expect(failure).toContain(`${check}: `);
    expect(failure).toContain(remedy);
    if (fails === "none") return;
    expect((await stage().terraform(folder, fails, env(variables))).exitCode).toBe(1);
  });

  test("finds a mirror without the provider; with run, as the remedy says, init works, and with the lines of install", async () => {
    const { cli, scratch, succeed, terraform } = stage();
    const [folder, others, configuration] = ["plain", "others", "cli.tfrc"].map((name) =>
      join(scratch.folder, name),
    ) as [string, string, string];
    writeModule(folder, 'resource "iam_rotation" "push" {\n  rotate_every = "14h"\n}\n');
    mkdirSync(others);
    const more = { TF_CLI_CONFIG_FILE: configuration };
    const mirror = `filesystem_mirror {\n  path = "${others}"\n}\n`;
    writeFileSync(configuration, `provider_installation {\n${mirror}}\n`);
    expect(await failuresIn(folder, more, "--init")).toEqual([
      expect.stringMatching(/^init: .*iam-tokens run --.*iam-tokens install DIR/),
    ]);
    expect((await terraform(folder, "init", env(more))).exitCode).toBe(1);
    const run = ["run", "--", terraformBinary(), "init"];
    expect((await cli(run, { cwd: folder, env: env(more) })).exitCode).toBe(0);
    const { stdout: lines } = await cli(["install", join(scratch.folder, "mirror")]);
    writeFileSync(configuration, lines.replace("{\n", `{\n${mirror}`));
    expect(await failuresIn(folder, more, "--init")).toEqual([]);
    await succeed(folder, "plan", env(more));
  });
});
