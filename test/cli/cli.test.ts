import { Readable } from "node:stream";
import { startIdentity } from "../support/identity-service";
import { onPlatform } from "../support/platform";
import { cli } from "./run-cli";

test("the version", async () => {
  expect(await cli(["--version"])).toEqual({ exitCode: 0, stdout: "1.2.3\n", stderr: "" });
});

test.each([[["--help"]], [["help"]]])("%j prints the commands", async (argv) => {
  const { exitCode, stdout, stderr } = await cli(argv);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(/^Usage: npx --no-install cdktf-iam-tokens COMMAND/);
  expect(stdout).toMatch(/^ {2}schedule /m);
  expect(stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
});

test.each(["run", "issue", "revoke", "verify", "doctor", "schedule", "install"])(
  "the help of %s prints the command by a name that only this package can have",
  async (command) => {
    const program = "npx --no-install cdktf-iam-tokens";
    const { stdout } = await cli([command, "--help"]);
    expect(stdout).toMatch(new RegExp(`^Usage: ${program} ${command} `));
    expect(stdout.replaceAll(program, "")).not.toContain("iam-tokens ");
    expect(stdout.slice(stdout.indexOf("Examples:"))).toContain(`${program} ${command} `);
    // Where it goes to a file, no line is cut or wrapped.
    expect(stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
  },
);

test.each(["x", "[]", "null", "1", "{"])("run refuses %s as attached providers", async (text) => {
  expect(await cli(["run", "true"], { env: { TF_REATTACH_PROVIDERS: text } })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      /^TF_REATTACH_PROVIDERS is set, but is not a JSON object\..*ERR_USAGE/,
    ),
  });
});

test("run without a command says how it is called", async () => {
  expect(await cli(["run"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(": npx --no-install cdktf-iam-tokens run terraform plan."),
  });
});

test("run says that it does not work on Windows", async () => {
  expect(await onPlatform("win32", () => cli(["run", "--", "true"]))).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^On Windows iam-tokens run .* \[ERR_RUN_UNSUPPORTED\]\n$/),
  });
});

test("without a command the help is an error", async () => {
  expect(await cli([])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringMatching(/^Usage: /),
  });
});

test("no argument is a command for a CI system in a message, or repeated without end", async () => {
  for (const argv of [
    ["::stop-commands::x"],
    ["--::add-mask::x"],
    ["schedule", "##vso[x]"],
    ["x".repeat(100_000)],
  ]) {
    const { exitCode, stderr } = await cli(argv);
    expect(exitCode).toBe(2);
    expect(stderr).not.toMatch(/::[a-z]|##/);
    expect(stderr.length).toBeLessThan(4_096);
  }
});

test.each([
  [["sched"], "Unknown command 'sched' (Did you mean schedule?)"],
  [["schedule", "--ever", "6h"], "Unknown option '--ever' (Did you mean --every?)"],
  [["schedule", "--every"], "argument missing"],
  [["schedule", "6h"], "Too many arguments"],
  [["\u001b[31mred"], "?[31mred"],
])("%j is a usage error of one line", async (argv, said) => {
  const { exitCode, stdout, stderr } = await cli(argv);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(said);
  expect(stderr).toMatch(/^\P{Cc}+ \[ERR_USAGE\]\n$/u);
});

// Each has a secret of its own: what one has registered, the process hides from then on.
test.each([
  ["Deployer/s-Passw0rd-2", "issue", "--project", "SECRET"],
  ["Deployer/s-Passw0rd-3", "verify", "--auth-url", "http://127.0.0.1:1/SECRET/v3"],
  ["Deployer/s-Passw0rd-4", "verify", "--auth-url", "http://127.0.0.1:1/ENCODED/v3"],
  ["Deployer/s-Passw0rd-5", "revoke", "--auth-url", "https://SECRET"],
])("%s of the environment is not in what %s prints about %s", async (secret, ...words) => {
  const argv = words.map((word) =>
    word.replace("SECRET", secret).replace("ENCODED", encodeURIComponent(secret)),
  );
  // A service that refuses at once: where none is, `issue` tries for 20 s.
  const service = await startIdentity("x");
  const env = {
    OS_AUTH_URL: service.authUrl,
    OS_USERNAME: secret,
    OS_PASSWORD: secret,
    OS_USER_DOMAIN_NAME: "1",
  };
  const { stdout, stderr } = await cli(argv, { env, openStdin: () => Readable.from(["a-token"]) });
  await service.stop();
  expect(stdout + stderr).not.toBe("");
  expect(stdout + stderr).not.toMatch(/passw0rd/i);
});
