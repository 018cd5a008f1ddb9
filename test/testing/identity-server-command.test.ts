import { spawn } from "node:child_process";
import { once } from "node:events";
import fs, {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { EmbeddedIdentityService } from "../../lib/testing";
import { runIdentityServer } from "../../lib/testing/identity-server-command";
import { authBody } from "./identity-client-of-a-test";

const folder = mkdtempSync(join(tmpdir(), "iam-tokens-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command until it has printed, then asks, then ends it. */
async function run(
  argv: readonly string[],
  env: Record<string, string> = {},
  ask: (printed: string) => unknown = () => {},
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
      asked = Promise.resolve(text).then(ask).finally(stop);
    },
    printError: (text) => errors.push(text),
    untilStopped,
  });
  await asked;
  return { code, output: printed.join(""), errors: errors.join("") };
}

async function statusOf(authUrl: string, password: string): Promise<number> {
  const answer = await fetch(`${authUrl}/identity/v3/auth/tokens`, {
    method: "POST",
    body: JSON.stringify(authBody({ password })),
    headers: { "Content-Type": "application/json" },
  });
  await answer.arrayBuffer();
  return answer.status;
}

function configFile(config: unknown): string {
  const file = join(folder, "config.json");
  writeFileSync(file, typeof config === "string" ? config : JSON.stringify(config));
  return file;
}

test("without options, a generated password is in a file that only the owner can read, and removed at the end", async () => {
  let file = "";
  let status = 0;
  const { code, output } = await run(["--port", "0", "--json"], {}, async (line) => {
    const facts = JSON.parse(line) as { authUrl: string; passwordFile: string };
    file = facts.passwordFile;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    const password = readFileSync(file, "utf8");
    expect(line).not.toContain(password);
    status = await statusOf(facts.authUrl, password);
  });
  expect([code, status]).toEqual([0, 201]);
  expect(output.split("\n")).toHaveLength(2);
  expect(existsSync(dirname(file))).toBe(false);
});

test("a full TMPDIR is replaced by another folder; if all are full, the error names each", async () => {
  const full = (isFull: (file: string) => boolean) =>
    jest.spyOn(fs, "writeFileSync").mockImplementation((file) => {
      if (isFull(String(file))) throw Object.assign(new Error(), { code: "ENOSPC" });
    });
  const [TMPDIR, XDG_RUNTIME_DIR] = [join(folder, "a"), join(folder, "b")];
  for (const each of [TMPDIR, XDG_RUNTIME_DIR]) fs.mkdirSync(each);
  const env = { TMPDIR, XDG_RUNTIME_DIR };
  const first = full((file) => file.startsWith(fs.realpathSync(TMPDIR)));
  let file = "";
  const { code } = await run(["--port", "0", "--json"], env, (line) => {
    file = (JSON.parse(line) as { passwordFile: string }).passwordFile;
  });
  expect([code, dirname(dirname(file))]).toEqual([0, fs.realpathSync(XDG_RUNTIME_DIR)]);
  first.mockRestore();
  const all = full(() => true);
  const { code: failed, errors } = await run(["--port", "0", "--json"], env);
  all.mockRestore();
  expect(failed).toBe(1);
  expect(errors).toBe(
    `No folder for the identity server's files: "${TMPDIR}" (ENOSPC), "${XDG_RUNTIME_DIR}" (ENOSPC), "/tmp" (ENOSPC), "/var/tmp" (ENOSPC). Set TMPDIR to a folder that you own and can write. [ERR_OUTPUT_FILE]\n`,
  );
  expect([TMPDIR, XDG_RUNTIME_DIR].flatMap((each) => fs.readdirSync(each))).toEqual([]);
});

test("the password comes from SERVICE_USER_PASSWORD when it is set, and is not printed", async () => {
  let status = 0;
  const { output } = await run(
    ["--port", "0"],
    { SERVICE_USER_PASSWORD: "canary-password" },
    async (text) => {
      status = await statusOf(/http:\S+/.exec(text)?.[0] ?? "", "canary-password");
    },
  );
  expect(status).toBe(201);
  expect(output).toContain('SecretRef.env("SERVICE_USER_PASSWORD")');
  expect(output).not.toContain("canary");
});

describe("requests", () => {
  const config = {
    accountId: "123456",
    serviceUsers: [
      { name: "deployer", password: "canary-password", permission: { account: true } },
    ],
    port: 0,
  };
  const askTwice = async (text: string) => {
    const authUrl = /http:[^\s"]+/.exec(text)?.[0] ?? "";
    expect(await statusOf(authUrl, "canary-wrong")).toBe(401);
    expect(await statusOf(authUrl, "canary-password")).toBe(201);
    const path = `${authUrl}/identity/v3/canary-password?x=canary`;
    expect((await fetch(path)).status).toBe(404);
  };

  test("are printed one by one on standard error, with the reason of a refusal and no secret", async () => {
    const { output, errors } = await run(["--config", configFile(config), "--json"], {}, askTwice);
    expect(output.split("\n")).toHaveLength(2);
    expect(errors.replaceAll(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z /gm, "AT ")).toBe(
      [
        'AT POST /identity/v3/auth/tokens 401 "deployer" of "123456" account (wrong_password)',
        'AT POST /identity/v3/auth/tokens 201 "deployer" of "123456" account',
        "AT GET (sensitive) 404",
        "",
      ].join("\n"),
    );
    expect(errors).not.toContain("canary");
  });

  test("a name cannot end its line, nor colour a terminal", async () => {
    const { errors } = await run(["--config", configFile(config)], {}, async (text) => {
      await fetch(`${/http:\S+/.exec(text)?.[0]}/identity/v3/auth/tokens`, {
        method: "POST",
        body: JSON.stringify(authBody({ user: "a\nb\u001b[31m\u009b31m\u2028" })),
        headers: { "Content-Type": "application/json" },
      });
    });
    expect(errors).toMatch(/^[ -~]+ 401 [ -~]+ \(unknown_user\)\n$/);
  });

  test("--quiet prints none of them", async () => {
    const file = configFile(config);
    expect((await run(["--config", file, "--quiet"], {}, askTwice)).errors).toBe("");
  });
});

test("a configuration file gives the accounts; passwords may stand in the environment", async () => {
  const file = configFile({
    accountId: "123456",
    serviceUsers: [{ name: "deployer", passwordEnv: "DEPLOYER", permission: { account: true } }],
    port: 0,
  });
  let status = 0;
  const { code } = await run(
    ["--config", file, "--json"],
    { DEPLOYER: "canary-password" },
    async (line) => {
      status = await statusOf((JSON.parse(line) as { authUrl: string }).authUrl, "canary-password");
    },
  );
  expect([code, status]).toEqual([0, 201]);
});

test("static tokens of a configuration file may stand in the environment, and are not printed", async () => {
  const staticTokens = ["canary-first", { env: "SECOND" }];
  const file = configFile({ accountId: "1", serviceUsers: [], staticTokens, port: 0 });
  const statuses: number[] = [];
  const { output, errors } = await run(
    ["--config", file, "--echo", "--json"],
    { SECOND: "canary-second" },
    async (line) => {
      const { authUrl, echoUrl } = JSON.parse(line) as { authUrl: string; echoUrl: string };
      for (const token of ["canary-first", "canary-second", "SECOND"])
        statuses.push((await fetch(echoUrl, { headers: { "X-Token": token } })).status);
      await fetch(`${authUrl}/canary-second`);
    },
  );
  expect(statuses).toEqual([200, 200, 401]);
  expect(output + errors).not.toContain("canary");
});

describe("for OpenStack's clients, it prints", () => {
  const linesOf = (output: string) => output.match(/^ {2}export OS_.*$/gm);
  const URL_LINE = expect.stringMatching(
    /^ {2}export OS_AUTH_URL=http:\/\/127\.0\.0\.1:\d+\/identity\/v3$/,
  );

  test("the whole address, and the default user", async () => {
    const { output } = await run(["--port", "0"], { SERVICE_USER_PASSWORD: "canary" });
    expect(linesOf(output)).toEqual([
      URL_LINE,
      "  export OS_USERNAME=deployer OS_USER_DOMAIN_NAME=123456",
      "  export OS_PROJECT_NAME=web OS_PROJECT_DOMAIN_NAME=123456",
      '  export OS_PASSWORD="$SERVICE_USER_PASSWORD"',
    ]);
  });

  test("of a configuration file, the address alone", async () => {
    const file = configFile({ accountId: "1", serviceUsers: [], port: 0 });
    expect(linesOf((await run(["--config", file])).output)).toEqual([URL_LINE]);
  });

  test("with https, the files of certificates", async () => {
    const tls = { tls: "throw-away", clientCertificates: "throw-away" };
    const file = configFile({ accountId: "1", serviceUsers: [], port: 0, ...tls });
    const { output } = await run(["--config", file]);
    const names = linesOf(output)?.map((line) => /OS_\w+/.exec(line)?.[0]);
    expect(names).toEqual(["OS_AUTH_URL", "OS_CACERT", "OS_CERT", "OS_KEY"]);
  });
});

test("with https, the CA and a client's certificate are handed over by file, with a key that only the owner can read", async () => {
  const tls = { tls: "throw-away", clientCertificates: "throw-away" };
  const file = configFile({ accountId: "123456", serviceUsers: [], ...tls, port: 0 });
  let files: string[] = [];
  await run(["--config", file, "--json"], {}, (line) => {
    const facts = JSON.parse(line) as Record<"authUrl" | "caFile" | "certFile" | "keyFile", string>;
    files = [facts.caFile, facts.certFile, facts.keyFile];
    expect(facts.authUrl).toMatch(/^https:/);
    expect(
      files.map((each) => /^-----BEGIN ([A-Z ]+)-----/.exec(readFileSync(each, "utf8"))?.[1]),
    ).toEqual(["CERTIFICATE", "CERTIFICATE", "PRIVATE KEY"]);
    expect(statSync(facts.keyFile).mode & 0o777).toBe(0o600);
    expect(line).not.toContain("BEGIN");
  });
  expect(files.filter((each) => existsSync(each))).toEqual([]);
});

test("a test starts from the same file, with an environment of its own", async () => {
  const file = configFile({
    accountId: "1",
    serviceUsers: [{ name: "deployer", passwordEnv: "DEPLOYER", permission: { account: true } }],
  });
  const identity = await EmbeddedIdentityService.startFromFile(file, {
    env: { DEPLOYER: "canary-password" },
  });
  await identity.stop();
  expect(identity.user("deployer").name).toBe("deployer");
  await expect(EmbeddedIdentityService.startFromFile(file, { env: {} })).rejects.toMatchObject({
    code: "ERR_TESTING_CONFIG_INVALID",
  });
});

test.each([
  ["127.0.0.1", ""],
  ["localhost", ""],
  ["0.0.0.0", "Warning: other machines can reach this server. It is for tests only.\n"],
])("listening on %s warns: %j", async (host, warning) => {
  const { code, errors } = await run(["--host", host, "--port", "0"], {
    SERVICE_USER_PASSWORD: "canary-password",
  });
  expect([code, errors]).toEqual([0, warning]);
});

test.each([
  {
    what: "a file that is not there",
    file: () => join(folder, "no-such.json"),
    problem: "cannot be read (ENOENT)",
  },
  {
    what: "a file that is not JSON",
    file: () => configFile('{"password": "canary" oops'),
    problem: "is not JSON",
  },
  {
    what: "a variable that is not set",
    file: () => configFile({ serviceUsers: [{ passwordEnv: "NOT_SET" }] }),
    problem: "variable NOT_SET is not set",
  },
  {
    what: "a password next to its variable",
    file: () => configFile({ password: "canary", passwordEnv: "HOME" }),
    problem: "is given together with a password",
  },
  {
    what: "a password as the name of a variable",
    file: () => configFile({ passwordEnv: "canary password" }),
    problem: "not the name of an environment",
  },
  {
    what: "a static token's variable that is not set",
    file: () => configFile({ staticTokens: [{ env: "NOT_SET" }] }),
    problem: "variable NOT_SET is not set",
  },
  {
    what: "a static token with something besides its variable",
    file: () => configFile({ staticTokens: [{ env: "HOME", canary: "canary" }] }),
    problem: "staticTokens[0]: Invalid input: expected string",
  },
  {
    what: "a user without password",
    file: () => configFile({ accountId: "1", serviceUsers: [{ name: "a" }] }),
    problem: "serviceUsers[0].password: ",
  },
])("$what ends it with 1, and prints nothing from the file", async ({ file, problem }) => {
  const { code, output, errors } = await run(["--config", file()]);
  expect([code, output]).toEqual([1, ""]);
  expect(errors).toContain(problem);
  expect(errors).not.toContain("canary");
});

test("a port that is in use is reported", async () => {
  const other = await EmbeddedIdentityService.start({ accountId: "1", serviceUsers: [] });
  const { code, errors } = await run(["--port", String(other.port)]);
  await other.stop();
  expect(code).toBe(1);
  expect(errors).toContain(`Port ${other.port} of 127.0.0.1 is in use.`);
});

test.each([["--port", "x"], ["--port", "70000"], ["--nope"], ["word"]])(
  "wrong arguments end it with 2: %s %s",
  async (...argv) => {
    const { code, errors } = await run(argv.filter((word) => word !== undefined));
    expect(code).toBe(2);
    expect(errors).toMatch(/[.] (?:Allowed: .*)?Run it with --help[.]/);
  },
);

test("--echo stands for a product API, and says where", async () => {
  const statuses: number[] = [];
  const env = { STATIC_TOKEN: "canary" };
  await run(["--port", "0", "--json", "--echo"], env, async (line) => {
    const { echoUrl } = JSON.parse(line) as { echoUrl: string };
    for (const headers of [{ "X-Token": "canary" }, { "X-Token": "garbage" }, {}])
      statuses.push((await fetch(echoUrl, { headers })).status);
  });
  expect(statuses).toEqual([200, 401, 401]);
  const { output } = await run(["--port", "0", "--echo"]);
  expect(output).toMatch(/^Product API .*: http:\/\/127\.0\.0\.1:\d+\/echo$/m);
});

test("--help lists the options", async () => {
  const { code, output } = await run(["--help"]);
  expect(code).toBe(0);
  for (const option of ["--config", "--host", "--port", "--echo", "--json", "--quiet"])
    expect(output).toContain(option);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s ends the process with 0 and leaves no file",
  async (signal) => {
    const child = spawn(
      process.execPath,
      ["--import", "tsx", "lib/testing/main.ts", "--port", "0", "--json"],
      {
        cwd: join(__dirname, "../.."),
        env: { PATH: process.env.PATH, TMPDIR: folder },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    try {
      const exited = once(child, "exit");
      const [line] = (await once(child.stdout, "data")) as [Buffer];
      const { passwordFile } = JSON.parse(line.toString()) as { passwordFile: string };
      expect(existsSync(passwordFile)).toBe(true);
      child.kill(signal);
      expect(await exited).toEqual([0, null]);
      expect(existsSync(dirname(passwordFile))).toBe(false);
    } finally {
      child.kill("SIGKILL");
    }
  },
);
