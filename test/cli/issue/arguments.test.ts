import { cli } from "../run-cli";

// Nothing listens there: a usage error comes before a connection.
const env = {
  OS_AUTH_URL: "http://127.0.0.1:1",
  OS_USERNAME: "deployer",
  OS_USER_DOMAIN_NAME: "123456",
  OS_PASSWORD: "canary",
};
const issue = (args: readonly string[], more: Readonly<Record<string, string | undefined>> = {}) =>
  cli(["issue", ...args], { env: { ...env, ...more } });

test.each([
  [["--project", ""], "--project: the name is empty."],
  [["--project", " web"], "--project: the name starts or ends with white space"],
  [["--scope", "account", "--cloud", ""], "--cloud: the name is empty."],
  [["--scope", "account", "--min-remaining", "soon"], '--min-remaining: "soon" is not a duration.'],
  [["--scope", "account", "--project", "web"], "--project is given with --scope account."],
  [["--scope", "Account"], '--scope is "Account".'],
  [[], "there is no default"],
  [["--scope", "account", "--user", "me"], "--user is given without --auth-url and --account"],
  [
    ["--scope", "account", "--auth-url", "https://k.example", "--account", "1"],
    "--auth-url and --account are given without --user",
  ],
  [["--scope", "account", "--auth-url", "ftp://k.example"], "--auth-url: "],
  [["--scope", "account", "--password-env", "a-b"], "--password-env: "],
  [
    ["--scope", "account", "--password-env", "A", "--password-file", "b"],
    "--password-env and --password-file are both given.",
  ],
  [["--scope", "account", "--password", "canary"], "Unknown option '--password'"],
])("%j is a usage error", async (args, problem) => {
  const { exitCode, stdout, stderr } = await issue(args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(problem);
  expect(stderr).toMatch(/\[ERR_USAGE\]\n$/);
  expect(stderr).not.toContain("canary");
});

test("the error about a missing project names the command's own options", async () => {
  expect(await issue(["--scope", "project"])).toMatchObject({
    exitCode: 1,
    stderr:
      '--scope is "project", but no project is given: OS_PROJECT_NAME is not set. Add --project NAME. [ERR_SCOPE_INVALID]\n',
  });
});

test("the variables of the environment complete no service user of the options", async () => {
  const who = ["--auth-url", "http://127.0.0.1:1", "--account", "123456", "--user", "me"];
  // There is no terminal for a prompt.
  expect(await issue(["--scope", "account", ...who], { OS_PROJECT_NAME: "web" })).toMatchObject({
    exitCode: 1,
    stderr:
      "The password is not set, and there is no terminal for a password prompt. Name the variable or the file that holds it: --password-env or --password-file. [ERR_CREDENTIALS_MISSING]\n",
  });
  expect(
    (
      await issue(["--scope", "project", ...who, "--password-env", "OS_PASSWORD"], {
        OS_PROJECT_NAME: "web",
      })
    ).stderr,
  ).toBe(
    '--scope is "project", but no project is given. Add --project NAME. [ERR_SCOPE_INVALID]\n',
  );
});

test("so does the error about missing credentials", async () => {
  const nobody = await issue(["--scope", "account"], { OS_USERNAME: undefined });
  expect(nobody.stderr).toMatch(
    /but not OS_USERNAME\. Set OS_USERNAME\. \[ERR_CREDENTIALS_MISSING\]\n$/,
  );
});
