import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outputOf } from "../../../lib/provider/secrets/run-command";
import { SecretReader } from "../../../lib/provider/secrets/secret-reader";
import type { Command, SecretReference } from "../../../lib/provider/secrets/secret-reference";
import { IamTokensError } from "../../../lib/tokens";
import { CANARY, FakeIdentity, surroundingsOf } from "../fixtures";

const log = () => {};
const origin = "password_command of the provider block";
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "iam-command-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A command that runs these lines of Node.js. */
const node = (script: string): Command => [process.execPath, "-e", script];
const PRINTS = node(
  `require("fs").appendFileSync("runs", "x"); console.log(process.env.SECRET ?? "pw")`,
);
const runs = (): number =>
  existsSync(join(folder, "runs")) ? readFileSync(join(folder, "runs"), "utf8").length : 0;

const readerOf = (variables: Record<string, string> = {}, now?: () => number) => {
  const identity = new FakeIdentity();
  const surroundings = surroundingsOf(variables, { workingFolder: folder });
  return { identity, reader: new SecretReader(surroundings, identity, now) };
};

const refusal = async (command: Command, variables: Record<string, string> = {}) => {
  const { reader } = readerOf(variables);
  const { signal } = new AbortController();
  try {
    return (
      await reader.read({ kind: "command", command, origin }, { signal, log }, false)
    ).reveal();
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    expect(error.message).not.toContain("canary");
    return error.message;
  }
};

describe("a command", () => {
  test("has Terraform's environment and folder, and gives its output less one newline", async () => {
    const { reader } = readerOf({ SECRET: " a b\u00e9 " });
    const { signal } = new AbortController();
    const reference = { kind: "command", command: PRINTS, origin } as const;
    expect((await reader.read(reference, { signal, log }, false)).reveal()).toBe(" a b\u00e9 ");
    expect(runs()).toBe(1);
  });

  test("has nothing by which Terraform speaks to a provider, and the extra certificates by their own name", async () => {
    const variables = {
      PLUGIN_CLIENT_CERT: "x",
      PLUGIN_MIN_PORT: "1",
      PLUGIN_PROTOCOL_VERSIONS: "6",
      TF_PLUGIN_MAGIC_COOKIE: "x",
      PLUGIN_OF_MINE: "y",
      IAM_TOKENS_EXTRA_CA_CERTS: "ca.pem",
    };
    const prints = node(
      `console.log(Object.keys(process.env).sort().join(), process.env.NODE_EXTRA_CA_CERTS)`,
    );
    expect(await refusal(prints, variables)).toBe("NODE_EXTRA_CA_CERTS,PLUGIN_OF_MINE ca.pem");
  });

  test("has no shell and no input", async () => {
    const script = `process.stdin.on("end", () => console.log(process.argv.slice(1).join("|"))).resume()`;
    expect(await refusal([...node(script), "$HOME", "a b", ";"])).toBe("$HOME|a b|;");
  });

  test.each<{ what: string; script: string; says: RegExp }>([
    { what: "prints nothing", script: "", says: /is empty.*ERR_SECRET_EMPTY/ },
    {
      what: "prints two lines",
      script: `console.log("${CANARY.password}\\nx")`,
      says: /has more than one line.*ERR_COMMAND_FAILED/,
    },
    {
      what: "exits with 3 after printing the secret on both streams",
      script: `console.log("${CANARY.password}"); console.error("${CANARY.password}"); process.exit(3)`,
      says: /exited with 3\..*ERR_COMMAND_FAILED/,
    },
    {
      what: "prints 10 MB",
      script: `process.stdout.write("x".repeat(1e7))`,
      says: /printed more than 64 KiB, and was ended.*ERR_COMMAND_FAILED/,
    },
    {
      what: "is killed",
      script: `process.kill(process.pid, "SIGKILL")`,
      says: /was ended by SIGKILL.*ERR_COMMAND_FAILED/,
    },
    {
      what: "prints bytes",
      script: "process.stdout.write(Buffer.from([0xff, 0xfe]))",
      says: /is not UTF-8.*ERR_SECRET_NOT_UTF8/,
    },
  ])("that $what is refused, without anything that it printed", async ({ script, says }) => {
    expect(await refusal(node(script))).toMatch(says);
  });

  test("that does not exist is refused, by its name alone", async () => {
    expect(await refusal(["no-such-program", CANARY.password])).toMatch(
      /The command "no-such-program" \(password_command of the provider block\) does not exist.*ERR_COMMAND_FAILED/,
    );
  });

  test("that cannot be executed is refused", async () => {
    writeFileSync(join(folder, "script"), "");
    chmodSync(join(folder, "script"), 0o600);
    expect(await refusal([join(folder, "script")])).toMatch(/cannot be started \(EACCES\)/);
  });

  const HANGS = `
    const child = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    require("fs").writeFileSync("pids", process.pid + " " + child.pid);
    setInterval(() => {}, 1000);`;
  const pids = async (): Promise<number[]> => {
    for (;;) {
      const text = existsSync(join(folder, "pids"))
        ? readFileSync(join(folder, "pids"), "utf8")
        : "";
      if (/^\d+ \d+$/.test(text)) return text.split(" ").map(Number);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  /** A killed process stays until its parent has waited for it. */
  const ended = async (pid: number): Promise<void> => {
    for (;;) {
      const stat = existsSync(`/proc/${pid}/stat`)
        ? readFileSync(`/proc/${pid}/stat`, "utf8")
        : "Z";
      if (/(?:^|\) )[ZX]/.test(stat)) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  (process.platform === "linux" ? test : test.skip)(
    "is ended with its children when Terraform stops, and when it hangs",
    async () => {
      const surroundings = surroundingsOf({}, { workingFolder: folder });
      const stop = new AbortController();
      const stopped = outputOf(node(HANGS), origin, surroundings, stop.signal);
      const expectation = expect(stopped).rejects.toMatchObject({ code: "ERR_CANCELLED" });
      const first = await pids();
      stop.abort();
      await expectation;
      await Promise.all(first.map(ended));
      rmSync(join(folder, "pids"));

      const hangs = outputOf(
        node(HANGS),
        origin,
        surroundings,
        new AbortController().signal,
        2_000,
      );
      await expect(hangs).rejects.toMatchObject({
        code: "ERR_COMMAND_FAILED",
        problem: expect.stringContaining("did not end within 2 s, and was ended"),
      });
      await Promise.all((await pids()).map(ended));
    },
  );
});

test("many commands at once share their listeners, and leave none", async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on("warning", note);
  const counts = () =>
    ["exit", "SIGINT", "SIGTERM", "SIGHUP"].map((name) => process.listenerCount(name));
  const before = counts();
  const surroundings = surroundingsOf({}, { workingFolder: folder });
  const outputs = Array.from({ length: 12 }, (_, count) =>
    outputOf(node(`console.log(${count})`), origin, surroundings, new AbortController().signal),
  );
  expect(counts()).toEqual(before.map((count) => count + 1));
  expect((await Promise.all(outputs)).map(String)).toContain("11\n");
  expect(counts()).toEqual(before);
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

(process.platform === "win32" ? test.skip : test)(
  "a signal to the provider ends a command, and is not its failure",
  async () => {
    // As the provider has: the signal does not end this process.
    const stays = () => {};
    process.on("SIGHUP", stays);
    const surroundings = surroundingsOf({}, { workingFolder: folder });
    const hangs = node("setInterval(() => {}, 1000)");
    const output = outputOf(hangs, origin, surroundings, new AbortController().signal);
    process.emit("SIGHUP", "SIGHUP");
    await expect(output).rejects.toMatchObject({
      code: "ERR_CANCELLED",
      problem: expect.stringContaining("was ended: the provider got SIGHUP"),
    });
    process.off("SIGHUP", stays);
  },
);

describe("the list of allowed programs", () => {
  test.each<{ list: string; runs: boolean }>([
    { list: process.execPath, runs: true },
    { list: `op, ${process.execPath} ,x`, runs: true },
    { list: "", runs: false },
    { list: "node", runs: false },
    { list: `${process.execPath}x`, runs: false },
  ])('"$list": runs $runs', async ({ list, runs: expected }) => {
    const answer = await refusal(PRINTS, { IAM_TOKENS_ALLOWED_COMMANDS: list });
    expect(runs()).toBe(expected ? 1 : 0);
    if (expected) expect(answer).toBe("pw");
    else expect(answer).toContain("[ERR_COMMAND_NOT_ALLOWED]");
  });
});

describe("how often it is asked", () => {
  const reference: SecretReference = { kind: "command", command: PRINTS, origin };

  test("once for all tokens at once, and for later ones, until the secret is refused; then at most once a minute", async () => {
    let now = 0;
    const { reader } = readerOf({}, () => now);
    const { signal } = new AbortController();
    const read = () => reader.read(reference, { signal, log }, false);
    await Promise.all(Array.from({ length: 100 }, read));
    now += 3_600_000;
    await read();
    expect(runs()).toBe(1);
    reader.refused(reference);
    await read();
    now += 59_999;
    await read();
    expect(runs()).toBe(1);
    now += 1;
    await read();
    expect(runs()).toBe(2);
    now += 3_600_000;
    await read();
    expect(runs()).toBe(2);
  });

  test("an identity token is read again after a minute", async () => {
    let now = 0;
    const { reader, identity } = readerOf(
      { ACTIONS_ID_TOKEN_REQUEST_URL: "https://x.test", ACTIONS_ID_TOKEN_REQUEST_TOKEN: "b" },
      () => now,
    );
    const { signal } = new AbortController();
    const asked: SecretReference = { kind: "audience", audience: "a", origin: "oidc_audience" };
    for (const time of [0, 59_999, 60_000, 60_001]) {
      now = time;
      await reader.read(asked, { signal, log }, true);
    }
    expect(identity.audiences).toEqual(["a", "a"]);
  });

  test("a failure is not kept, and the end of one waiting operation does not end the command", async () => {
    const { reader } = readerOf();
    const { signal } = new AbortController();
    const fails: SecretReference = { kind: "command", command: node("process.exit(1)"), origin };
    for (let time = 0; time < 2; time++)
      await expect(reader.read(fails, { signal, log }, false)).rejects.toThrow(/exited with 1/);
    const first = new AbortController();
    const one = reader.read(reference, { signal: first.signal, log }, false);
    const other = reader.read(reference, { signal, log }, false);
    first.abort();
    await expect(one).rejects.toMatchObject({ code: "ERR_CANCELLED" });
    expect((await other).reveal()).toBe("pw");
    expect(runs()).toBe(1);
  });
});

test.each<{ variables: Record<string, string>; says: RegExp }>([
  {
    variables: {},
    says: /does not run in a job of GitHub Actions.*a variable, a file or a command/,
  },
  {
    variables: { GITHUB_ACTIONS: "true", ACTIONS_ID_TOKEN_REQUEST_URL: "https://x.test" },
    says: /may not get identity tokens.*permissions: id-token: write/,
  },
])("an audience without GitHub's variables: $says", async ({ variables, says }) => {
  const { reader } = readerOf(variables);
  const { signal } = new AbortController();
  const asked: SecretReference = { kind: "audience", audience: "a", origin: "oidc_audience" };
  await expect(reader.read(asked, { signal, log }, true)).rejects.toMatchObject({
    code: "ERR_IDENTITY_TOKEN_UNAVAILABLE",
    message: expect.stringMatching(says),
  });
});

test("a secret of the job that no header can carry is refused before a request", async () => {
  const { reader, identity } = readerOf({
    ACTIONS_ID_TOKEN_REQUEST_URL: "https://x.test",
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "canary\r\nx-header: 1",
  });
  const asked: SecretReference = { kind: "audience", audience: "a", origin: "oidc_audience" };
  const reading = reader.read(asked, { signal: new AbortController().signal, log }, true);
  await expect(reading).rejects.toMatchObject({
    code: "ERR_SECRET_UNUSABLE",
    message: expect.not.stringContaining("canary"),
  });
  expect(identity.audiences).toEqual([]);
});
