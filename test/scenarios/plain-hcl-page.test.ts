import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { underOpenTofu } from "../support/open-tofu";
import { packageRoot } from "../support/project";
import { runTerraform, terraformBinary } from "../support/terraform";
import { iamTokens } from "./run-support";
import { ACCOUNT, type Scenario, scenarios } from "./scenario";

/** The files that docs/plain-hcl.md prints, by the name in the first line of each. */
const FILES = Object.fromEntries(
  [
    ...readFileSync(join(packageRoot, "docs/plain-hcl.md"), "utf8").matchAll(
      /^```hcl\n# ([\w./]+)\n([\s\S]*?)^```$/gm,
    ),
  ].map(([, name = "", text = ""]) => [name, text]),
);

function writeModule({ scratch }: Scenario): string {
  const folder = join(scratch.folder, "module");
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const openstack = ({ identity, password }: Scenario) => ({
  OS_AUTH_URL: identity.authUrl,
  OS_USER_DOMAIN_NAME: ACCOUNT,
  OS_USERNAME: "deployer",
  OS_PASSWORD: password,
});

scenarios("docs/plain-hcl.md", (stage) => {
  test("has a module and its test", () => {
    expect(Object.keys(FILES)).toEqual([
      "main.tf",
      "parent/modules/team/main.tf",
      "parent/main.tf",
      "tests/token.tftest.hcl",
    ]);
  });

  test("its test passes under iam-tokens run, as it is printed", async () => {
    const cwd = writeModule(stage());
    const file = join(cwd, "tests/token.tftest.hcl");
    // OpenTofu cannot read what an earlier run has put out.
    if (underOpenTofu())
      writeFileSync(file, readFileSync(file, "utf8").replace(/^run "the_same[\s\S]*/m, ""));
    const binary = terraformBinary();
    const result = await iamTokens(
      ["run", "--", "sh", "-c", `"${binary}" init && "${binary}" test -no-color`],
      { scratch: stage().scratch, cwd, env: openstack(stage()) },
    );
    if (result.exitCode !== 0) throw new Error(result.text);
    expect(result.text).toContain(`${underOpenTofu() ? 1 : 2} passed, 0 failed`);
    // One of the ephemeral blocks, and one of the data source: what stands in a state is never
    // shared with what does not.
    expect(stage().requests()).toBe(2);
  });

  /** What `install` prints on standard output is what the command line's configuration takes. */
  test("is found in the mirror that install lays out", async () => {
    const { scratch } = stage();
    // A path that would have to be quoted.
    const mirror = await iamTokens(["install", 'a "mirror"'], { scratch });
    expect(mirror).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^provider_installation \{/),
    });
    expect(mirror.stderr).toMatch(/is now in [\s\S]*Add to a Terraform configuration:/);
    const configuration = join(scratch.home, "mirror.tfrc");
    writeFileSync(configuration, mirror.stdout);
    const env = { ...openstack(stage()), TF_CLI_CONFIG_FILE: configuration, TF_VAR_project: "web" };
    const folder = writeModule(stage());
    for (const module of [folder, join(folder, "parent")]) {
      for (const args of [["init"], ["validate"], ["apply", "-auto-approve"]]) {
        const result = await runTerraform(module, args, { scratch, env });
        if (result.exitCode !== 0)
          throw new Error(`${args.join(" ")} ended with ${result.exitCode}:\n${result.text}`);
      }
    }
    expect(readFileSync(join(folder, ".terraform.lock.hcl"), "utf8")).toMatch(
      /npm\.invalid\/cdktf-iam-tokens\/iam/,
    );
  });
});
