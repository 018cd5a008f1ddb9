import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Scenario, scenarios } from "../scenarios/world";
import { type CommandResult, startCommand } from "../support/command";
import { hasGo } from "../support/go-build";
import { installProvider } from "../support/go-providers";
import { packageRoot } from "../support/project";
import { hasPython, makePython, type Python, packagesFor } from "../support/python";
import { describeIf, testIf } from "../support/skips";
import type { Framework } from "../support/terrain";
import { inPython } from "./docstrings";
import { TOOLS } from "./packed-package";
import { block, pageBlocks, program } from "./page";

// A virtual environment is filled from PyPI first.
jest.setTimeout(400_000);

const source = (name: string) => readFileSync(join(packageRoot, "test/languages", name), "utf8");

/** The pack has installed it. */
const PYRIGHT = join(TOOLS, "pyright/index.js");

const GITHUB = {
  id: "github",
  audience: "https://cloud.api.example.com",
  permission: { projects: ["web"] },
};

/** The version that each framework's package of the null provider requires. */
const NULL = { cdktf: "3.2.4", cdktn: "3.3.2" };

/**
 * Code by mistake, as the program mistakes.py knows it: a TypeError is Python's, and of the checks
 * at synthesis one of each place is enough, because their messages are not Python's.
 */
const MISTAKES = {
  password: /TypeError: .*password must be .*SecretRef; got str instead/,
  "no scope": /TypeError: .* missing 1 required keyword-only argument: 'scope'/,
  scope: /TypeError: .*scope must be .*TokenScope; got str instead/,
  resolution: /TypeError: .*resolution must be .*TokenResolution.*; got str instead/,
  number: /TypeError: .*account_id must be .*str.*; got int instead/,
  // What jsii's types let through is refused by ours.
  "empty name": /SecretRef\.env is wrong .*\[ERR_PROP_INVALID\]/,
  "empty user": /\[main\/identity\] serviceUser\.name .* is empty\..*\[ERR_NAME_INVALID\]/,
  "no token": /\[main\/ci\] token is a value of type object\..*\[ERR_PROP_INVALID\]/,
  "camel case": /TypeError: .* got an unexpected keyword argument 'minRemaining'/,
  output: /\[main\/web\] The token is ephemeral, .*\[ERR_EPHEMERAL_OUTPUT\]/,
  "other stack": /is used in the stack other.*\[ERR_OTHER_STACK\]/,
  "not resolved": /SynthTokens\(app\)\.resolve\(\).*\[ERR_TOKENS_NOT_RESOLVED\]/,
};

describe.each<Framework>(["cdktf", "cdktn"])("Python, with %s", (framework) => {
  describeIf(hasPython(), "there is no Python with venv here")("from the wheel", () => {
    let folder: string;
    let python: Python;
    beforeAll(async () => {
      folder = mkdtempSync(join(realpathSync(tmpdir()), "iam-python-"));
      // Both packages in one program is a mistake.
      const other = framework === "cdktf" ? packagesFor("cdktn") : [];
      python = await makePython(join(folder, "venv"), framework, ["pytest", "mypy", ...other]);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    const main = () => program(framework, "main.py");

    /** A program of CDKTF, for this framework. */
    const named = (text: string) =>
      framework === "cdktf" ? text : text.replaceAll(/\bcdktf(?=\b|_iam_tokens)/g, framework);

    scenarios(
      "a program",
      (stage) => {
        const project = () => join(stage().scratch.folder, "project");

        function write(name: string, text: string): void {
          mkdirSync(project(), { recursive: true });
          writeFileSync(join(project(), name), text);
        }

        /** As npm does with the package of that page. */
        function installCommands(): void {
          const bin = join(project(), "node_modules/.bin");
          mkdirSync(bin, { recursive: true });
          for (const [name, room] of [
            [`${framework}-iam-tokens`, "cli"],
            ["iam-tokens-identity-server", "testing"],
          ] as const)
            symlinkSync(join(packageRoot, "dist", room, "main.js"), join(bin, name));
        }

        function start(file: string, args: readonly string[], env = {}, cwd = project()) {
          return startCommand(file, args, {
            cwd,
            env: { ...stage().scratch.env, ...stage().secrets, ...python.env, ...env },
          }).finished;
        }

        const run = (command: string, args: readonly string[], env = {}, cwd?: string) =>
          start(join(python.bin, command), args, env, cwd);

        async function succeed(result: Promise<CommandResult>): Promise<CommandResult> {
          const { exitCode, text } = await result;
          expect(`${exitCode}: ${exitCode === 0 ? "" : text}`).toBe("0: ");
          return result;
        }

        const stackFolder = (name: string) => join(project(), "cdktf.out/stacks", name);

        test("of the page's quick start works when pasted, block by block", async () => {
          write("main.py", main().replaceAll("35357", port()));
          installCommands();
          const blocks = pageBlocks(framework, "languages.md", "sh").slice(0, 4);
          const [install = "", ...commands] = blocks;
          // All but the installation is pasted; that one names what is installed here.
          expect(install).toContain(`pip install ${framework}-iam-tokens ${framework}\n`);
          expect(blocks.join("")).toContain("kill %1");
          const server = `--echo --port ${port()} & until curl -s ${service()} >/dev/null; do sleep 0.1; done`;
          const script = commands
            .join("\n")
            .replaceAll("35357", port())
            .replace("--echo &", server);
          await stage().identity.stop();
          const { text } = await succeed(start("bash", ["-ec", script]));
          expect(text).toMatch(
            /\{"header":"X-Auth-Token","kind":"iam_token_project_scoped","user":"deployer","account":"123456","project":"web",/,
          );
          expect(text).toMatch(/GET \/echo 200 "deployer" of "123456" project "web"/);
          expect(text).toMatch(
            /for-ci_header_name = "X-Auth-Token"[\s\S]*for-ci_value = <sensitive>/,
          );
          expect(text).toContain("Destroy complete!");
        });

        test("of the page passes mypy and pyright", async () => {
          for (const [name, text] of [
            ["main.py", main()],
            ["ways.py", named(source("ways.py"))],
          ] as const)
            write(name, text);
          // Strict mode refuses what ways.py imports for RotationHook alone.
          write("pyrightconfig.json", '{ "strict": ["main.py"] }');
          await succeed(run("mypy", ["--strict", "main.py", "ways.py"]));
          const { stdout } = await succeed(
            start(process.execPath, [PYRIGHT, "--pythonpath", join(python.bin, "python")]),
          );
          expect(stdout).toMatch(/^0 errors, 0 warnings/m);
        });

        test("of each docstring's example passes mypy, and runs", async () => {
          const { examples } = inPython(framework);
          expect(examples.length).toBeGreaterThan(15);
          const [, signature = ""] =
            /^( {4}def example\([\s\S]*?:\n) {8}raise/m.exec(source("examples.py")) ?? [];
          const classes = examples.map((text, at) => {
            const body = text.replaceAll(/^(?=.)/gm, " ".repeat(8));
            return `\nclass Example${at}(Around):\n${signature}${body}\n\nExample${at}().show()\n`;
          });
          write("examples.py", `${named(source("examples.py"))}${classes.join("")}`);
          await succeed(run("mypy", ["--strict", "examples.py"]));
          await succeed(run("python", ["examples.py"]));
        });

        const withNull = testIf(hasGo(), "there is no Go here to build hashicorp/null with");
        withNull("uses tokens of each way, also in another stack", async () => {
          write("main.py", named(source("ways.py")));
          const journal = join(stage().scratch.folder, "journal");
          const env = { AUTH_URL: authUrl(), API_URL: stage().api.url, JOURNAL: journal };
          await succeed(run("python", ["main.py"], env));
          for (const name of ["main", "other"]) {
            await installProvider(stackFolder(name), "null", NULL[framework]);
            await stage().succeed(stackFolder(name), ["init"]);
            const variables = { ...stage().secrets, ...stage().identity.githubActions() };
            await stage().succeed(stackFolder(name), ["apply", "-auto-approve"], variables);
          }
          expect(stage().identity.oidcTokens()).not.toEqual([]);
          expect(readFileSync(journal, "utf8")).toBe("X-Auth-Token\n");
          const { stdout } = await stage().succeed(stackFolder("main"), ["output", "-json"]);
          const outputs = JSON.parse(stdout);
          expect(outputs.status.value).toBe(200);
          expect(stage().identity.describeToken(outputs.ci_value.value).status).toBe("valid");
          // Another keeper rotates, and the hook runs once more.
          await succeed(run("python", ["main.py"], { ...env, RELEASE: "2" }));
          await installProvider(stackFolder("main"), "null", NULL[framework]);
          await stage().succeed(stackFolder("main"), ["apply", "-auto-approve"]);
          expect(readFileSync(journal, "utf8")).toBe("X-Auth-Token\n".repeat(2));
        });

        test("resolves tokens before synthesis", async () => {
          write(
            "main.py",
            ofPage()
              .replace("TokenScope,\n)", "TokenScope,\n    SynthTokens,\n)")
              .replace("TokenResolution.rotating()", "TokenResolution.synth(allow_in_state=True)")
              .replace(
                /app\.synth\(\)\n/,
                block(framework, "languages.md", "python", "SynthTokens(app"),
              ),
          );
          stage().requests();
          await succeed(run("python", ["main.py"], { CI: "false" }));
          expect(stage().requests()).toBe(1);
          const values = join(stackFolder("first"), "iam-tokens.auto.tfvars.json");
          const { ci_token: token } = JSON.parse(readFileSync(values, "utf8"));
          expect(stage().identity.describeToken(token).status).toBe("valid");
        });

        test("is tested by the page's recipe for pytest", async () => {
          write("test_stack.py", program(framework, "test_stack.py"));
          installCommands();
          await succeed(run("pytest", ["-q", "-p", "no:cacheprovider", "test_stack.py"]));
        });

        // Python's own are the same for both.
        const mistakes = Object.entries(MISTAKES).filter(
          ([name]) => framework === "cdktf" || name === "output",
        );
        test.each(mistakes)("says what is wrong: %s", async (name, message) => {
          write("main.py", named(source("mistakes.py")));
          const { exitCode, stderr } = await run("python", ["main.py", name]);
          expect(exitCode).toBe(1);
          const [, last = ""] = /\n((?:TypeError|RuntimeError): [\s\S]*)$/.exec(stderr) ?? [];
          expect(last).toMatch(message);
          expect(last).not.toContain("canary");
          expect(last).not.toMatch(/^\s+at /m);
        });

        test("says what is wrong with a literal password also with -O", async () => {
          write("main.py", named(source("mistakes.py")));
          const { stderr } = await run("python", ["-O", "main.py", "password"]);
          expect(stderr).toMatch(MISTAKES.password);
          expect(stderr.replaceAll(/^ {4}.*$/gm, "")).not.toContain("canary");
        });

        test("without Node.js says so", async () => {
          const bare = { PATH: python.bin };
          write("main.py", main());
          const synthesis = await run("python", ["main.py"], bare);
          expect(synthesis.stderr).toMatch(/FileNotFoundError: .*node/);
        });

        /** The page's program, for the stage's service. */
        const ofPage = () => main().replace("http://127.0.0.1:35357", authUrl());
        const service = () => new URL(authUrl()).origin;
        const port = () => new URL(authUrl()).port;
        const authUrl = (): string => (stage() satisfies Scenario).identity.authUrl;
      },
      { consumers: true, options: { echo: true }, config: { identityProviders: [GITHUB] } },
    );
  });
});
