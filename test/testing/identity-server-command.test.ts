import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { runIdentityServer } from "../../lib/testing/identity-server-command";
import { hasOpenstacksdk, pythonWithOpenstacksdk } from "../support/openstacksdk";
import { useScratch } from "../support/scratch";
import { testIf } from "../support/skips";
import { signIn } from "./identity-client-of-a-test";

const scratch = useScratch("block");

const PASSWORD = { SERVICE_USER_PASSWORD: "canary-password" };

/** What the command prints with --json. */
interface Facts {
  readonly authUrl: string;
  readonly keystoneUrl: string;
  readonly echoUrl: string | null;
}

/** Runs the command until it has printed, then asks, then ends it. */
async function run(
  argv: readonly string[],
  env: Record<string, string> = PASSWORD,
  ask: (facts: Facts) => unknown = () => {},
) {
  let stop = () => {};
  const untilStopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const printed: string[] = [];
  const errors: string[] = [];
  let asked: Promise<unknown> = Promise.resolve();
  const code = await runIdentityServer({
    argv,
    env,
    print: (text) => {
      printed.push(text);
      const facts = argv.includes("--json") ? JSON.parse(text) : undefined;
      asked = Promise.resolve(facts).then(ask).finally(stop);
    },
    printError: (text) => errors.push(text),
    untilStopped,
  });
  await asked;
  expect(printed.join() + errors.join()).not.toContain("canary");
  return { code, output: printed.join(""), errors: errors.join("") };
}

const statusOf = async (...asked: Parameters<typeof signIn>) => (await signIn(...asked)).status;

function configFile(config: unknown): string {
  const file = join(scratch.folder, "config.json");
  writeFileSync(file, typeof config === "string" ? config : JSON.stringify(config));
  return file;
}

const permission = { account: true };
const CONFIG = {
  accountId: "123456",
  serviceUsers: [{ name: "deployer", password: "canary-password", permission }],
  staticTokens: ["canary-first"],
  port: 0,
};

test("without a file, the user's password is that of SERVICE_USER_PASSWORD", async () => {
  const statuses: number[] = [];
  const { code, output } = await run(["--port", "0", "--json"], PASSWORD, async (facts) => {
    for (const password of ["canary-password", "canary"])
      statuses.push(await statusOf(facts, { password }));
  });
  expect([code, statuses]).toEqual([0, [201, 401]]);
  expect(output.split("\n")).toHaveLength(2);
  for (const env of [{}, { SERVICE_USER_PASSWORD: "" }]) {
    const { code: refused, errors } = await run(["--port", "0"], env);
    expect([refused, errors]).toEqual([
      1,
      "The environment variable SERVICE_USER_PASSWORD is not set, or empty. Set it to a password of your choice for the service user, or give --config. [ERR_TESTING_CONFIG_INVALID]\n",
    ]);
  }
});

test("a file gives the accounts", async () => {
  const statuses: number[] = [];
  const argv = ["--config", configFile(CONFIG), "--echo", "--json"];
  const { code } = await run(argv, {}, async (facts) => {
    statuses.push(await statusOf(facts, { password: "canary-password" }));
    for (const token of ["canary-first", "SECOND"])
      statuses.push((await fetch(facts.echoUrl ?? "", { headers: { "X-Token": token } })).status);
  });
  expect([code, statuses]).toEqual([0, [201, 200, 401]]);
});

test("requests are printed one by one on standard error, with the reason of a refusal", async () => {
  const argv = ["--config", configFile(CONFIG), "--json"];
  const ask = async (facts: Facts) => {
    await statusOf(facts, { password: "canary-password" });
    // A name cannot end its line, nor colour a terminal.
    await statusOf(facts, { user: "a\nb\u001b[31m\u009b31m\u2028" });
    await fetch(`${facts.keystoneUrl}/canary-password?x=canary`);
  };
  const { errors } = await run(argv, {}, ask);
  expect(errors.replaceAll(/^\S+Z /gm, "AT ").split("\n")).toEqual([
    'AT POST /identity/v3/auth/tokens 201 "deployer" of "123456" account',
    expect.stringMatching(/^AT POST \S+ 401 [ -~]+ \(unknown_user\)$/),
    "AT GET (sensitive) 404",
    "",
  ]);
});

test.each<[what: string, config: unknown, problem: string]>([
  ["that is not JSON", '{"password": "canary" oops', "(no JSON)"],
  [
    "with a user without password",
    { accountId: "1", serviceUsers: [{ name: "a" }] },
    "serviceUsers[0].password: ",
  ],
])("a file %s ends it with 1, and nothing of it is printed", async (_what, config, problem) => {
  const { code, output, errors } = await run(["--config", configFile(config)], {});
  expect([code, output]).toEqual([1, ""]);
  expect(errors).toContain(problem);
});

test("a file that is not there ends it with 1", async () => {
  const { code, errors } = await run(["--config", join(scratch.folder, "no-such.json")]);
  expect([code, errors]).toEqual([1, expect.stringContaining("(ENOENT)")]);
});

/** What keystoneauth, OpenStack's own client, says of a token at an address. */
const SIGN_IN = `import sys
from keystoneauth1.identity.generic import Password
from keystoneauth1.session import Session
for url in sys.argv[1:]:
    auth = Password(auth_url=url, username="deployer", password="canary-password",
        user_domain_name="123456", project_name="web", project_domain_name="123456")
    try: print("signed in" if Session(auth=auth).get_token() else "no token")
    except Exception as error: print(type(error).__name__, error)
`;

testIf(hasOpenstacksdk(), "openstacksdk is not here: test/support/prepare.ts")(
  "OpenStack's own client signs in at the address that is printed for it, and at others of the service",
  async () => {
    let signedIn = "";
    const ask = async ({ authUrl, keystoneUrl }: Facts) => {
      const urls = [keystoneUrl, `${keystoneUrl}/`, `${authUrl}/identity`, `${authUrl}/identity/`];
      const { stdout } = await promisify(execFile)(pythonWithOpenstacksdk(), [
        ...["-c", SIGN_IN, ...urls, authUrl],
      ]);
      signedIn = stdout;
    };
    await run(["--port", "0", "--json"], PASSWORD, ask);
    expect(signedIn).toBe("signed in\n".repeat(5));
  },
);

test.each(["--port x", "--port 70000", "--nope", "word"])(
  "wrong arguments end it with 2: %s",
  async (words) => {
    const { code, errors } = await run(words.split(" "));
    expect(code).toBe(2);
    expect(errors).toMatch(/[.] (?:Allowed: .*)?Run it with --help[.]/);
  },
);

test.each(["SIGINT", "SIGTERM"] as const)("%s ends the process with 0", async (signal) => {
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "lib/testing/main.ts", "--port", "0", "--json"],
    {
      cwd: join(__dirname, "../.."),
      env: { PATH: process.env.PATH, TMPDIR: scratch.tmp, ...PASSWORD },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  try {
    const exited = once(child, "exit");
    await once(child.stdout, "data");
    child.kill(signal);
    expect(await exited).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
  }
});
