import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { blocksOf } from "../support/pages";
import { terraformBinary } from "../support/terraform";
import { ACCOUNT, providerBlock, scenarios } from "./world";

/** The files that docs/plain-hcl.md prints, by the name in the first line of each. */
const FILES = blocksOf("docs/plain-hcl.md", "hcl").flatMap(({ text }) => {
  const [, name, content] = /^# ([\w./]+)\n([\s\S]*)$/.exec(text) ?? [];
  return name === undefined ? [] : [[name, content ?? ""] as const];
});

// docs/plain-hcl.md: Terraform installs it from a mirror of yours
scenarios("docs/plain-hcl.md", (stage) => {
  /** Its module, and the environment of a user. */
  function pageModule() {
    const { identity, password, scratch } = stage();
    const cwd = join(scratch.folder, "module");
    for (const [name, text] of FILES) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), text);
    }
    const env = {
      OS_AUTH_URL: identity.authUrl,
      OS_USER_DOMAIN_NAME: ACCOUNT,
      OS_USERNAME: "deployer",
      OS_PASSWORD: password,
    };
    return { cwd, env };
  }

  test("its module passes its test under iam-tokens run, with credentials from the environment", async () => {
    expect(FILES.map(([name]) => name)).toEqual([
      "main.tf",
      "parent/modules/team/main.tf",
      "parent/main.tf",
      "tests/token.tftest.hcl",
    ]);
    const { cwd, env } = pageModule();
    const script = `"${terraformBinary()}" init && "${terraformBinary()}" test -no-color`;
    const { text } = await stage().cli(["run", "--", "sh", "-c", script], { cwd, env });
    expect(text).toContain("1 passed, 0 failed");
    // One of the ephemeral blocks, and one of the data source: what stands in a state is never
    // shared with what does not.
    expect(stage().requests()).toBe(2);
  });

  /** What `install` prints on standard output is what the command line's configuration takes. */
  test("is found in the mirror that install lays out", async () => {
    const { scratch, succeed } = stage();
    // A path that would have to be quoted.
    const { exitCode, stdout } = await stage().cli(["install", 'a "mirror"']);
    expect(exitCode).toBe(0);
    const configuration = join(scratch.home, "mirror.tfrc");
    writeFileSync(configuration, stdout);
    const { cwd, env: openstack } = pageModule();
    const env = { ...openstack, TF_CLI_CONFIG_FILE: configuration, TF_VAR_project: "web" };
    for (const folder of [cwd, join(cwd, "parent")])
      for (const args of ["init", "validate", "apply -auto-approve"])
        await succeed(folder, args, env);
  });

  // docs/without-npm.md: Run a command after each rotation
  test("a hook runs once after each rotation, and again if it has failed", async () => {
    const { scratch, identity, succeed, terraform } = stage();
    const [, hook] = blocksOf("docs/without-npm.md", "hcl");
    const text = `${hook?.text}`.replace("https://api.example.com", `${identity.authUrl}/echo`);
    const folder = stage().module(`${providerBlock(stage())}${text}`);
    await succeed(folder, "init");
    const bin = join(scratch.folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "curl"), "#!/bin/sh\nexit 22\n", { mode: 0o755 });
    const down = { ...stage().secrets, PATH: `${bin}:${process.env.PATH}` };
    expect(await terraform(folder, "apply -auto-approve", down)).toMatchObject({ exitCode: 1 });
    expect(stage().calls()).toEqual([]);
    for (const [args, calls] of [
      ["", 1],
      ["", 1],
      [" -replace=iam_rotation.push", 2],
    ] as const) {
      await succeed(folder, `apply -auto-approve${args}`);
      expect(stage().calls()).toEqual(Array(calls).fill("/reload account 200"));
    }
  });

  test("no line with a literal secret is printed, even if a block is on one line", async () => {
    const SECRET = "canary-literal";
    for (const block of [
      `provider "iam" { password = "${SECRET}\\u0000" }\nresource "iam_rotation" "a" { rotate_every = "12h" }`,
      `ephemeral "iam_static_token" "a" { value = "${SECRET} " }`,
    ]) {
      const folder = stage().module(block);
      await stage().succeed(folder, "init", {});
      const { exitCode, text } = await stage().terraform(folder, "validate", {});
      expect(exitCode).toBe(1);
      expect(text).toMatch(/ERR_SECRET_(NOT_UTF8|UNUSABLE)/);
      expect(text).not.toContain(SECRET);
    }
  });
});
