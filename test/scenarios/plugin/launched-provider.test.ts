/** Real Terraform against the echo provider, which it launches itself. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { writeEchoPackage, writeStack } from "../../plugin/fixtures/echo-package";
import { CANARY } from "../../plugin/fixtures/echo-provider";
import { stillRunning } from "../../support/processes";
import { makeScratch, type Scratch } from "../../support/scratch";
import { describeIf } from "../../support/skips";
import { hasTerraform, noTerraform, runTerraform, startTerraform } from "../../support/terraform";

jest.setTimeout(60_000);

describeIf(hasTerraform(), noTerraform())("a launched provider", () => {
  let scratch: Scratch;
  let packageFolder: string;
  let count = 0;

  beforeAll(async () => {
    scratch = makeScratch();
    packageFolder = path.join(scratch.folder, "package 'with\" odd $name");
    await writeEchoPackage(packageFolder);
  });
  afterEach(async () => {
    expect(await stillRunning(scratch.marker)).toEqual([]);
    expect(scratch.leftovers().filter((name) => name.startsWith("tfp-"))).toEqual([]);
  });
  afterAll(() => scratch.remove());

  /**
   * A stack after init. JOURNAL in its text is the file that the provider writes down its calls in.
   */
  const stack = async (configuration: string) => {
    count += 1;
    const folder = path.join(scratch.folder, `stack${count}`);
    const journalFile = path.join(folder, "journal");
    writeStack(folder, packageFolder, configuration.replaceAll("JOURNAL", journalFile));
    const run = (args: readonly string[], env: Record<string, string> = {}) =>
      runTerraform(folder, [...args, "-no-color"], { scratch, env });
    expect((await run(["init"])).text).toMatch("successfully initialized");
    const journal = () =>
      existsSync(journalFile) ? readFileSync(journalFile, "utf8").trim().split("\n") : [];
    return { folder, run, journal };
  };

  const untilNoted = async (journal: () => string[], line: string) => {
    const end = performance.now() + 50_000;
    while (!journal().includes(line)) {
      if (performance.now() > end)
        throw new Error(`${line} was not noted: ${journal().join(", ")}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  test("plans and applies two configurations, values of every shape and a warning", async () => {
    const { run, journal } = await stack(`
      provider "echo" {
        prefix  = "one-"
        journal = "JOURNAL"
      }
      provider "echo" {
        alias  = "two"
        prefix = "two-"
      }
      data "echo_read" "first" {
        text    = "ä€𝄞"
        tags    = { "__proto__" = "x", "a b" = "" }
        names   = ["b", "a"]
        port    = 443
        open    = true
        fail    = "warning"
      }
      data "echo_read" "second" {
        provider = echo.two
        text     = data.echo_read.first.result
      }
      output "all" { value = data.echo_read.first }
      output "second" { value = data.echo_read.second.result }
    `);
    expect((await run(["validate"])).exitCode).toBe(0);
    const applied = await run(["apply", "-auto-approve"]);
    expect(applied.text).toMatch("Warning: Echo warns");
    expect(applied.text).toMatch(/second += "two-one-ä€𝄞"/);
    expect(applied.exitCode).toBe(0);
    const printed = JSON.parse((await run(["output", "-json"])).stdout);
    expect(printed.all.value).toMatchObject({
      port: 443,
      open: true,
      names: ["a", "b"],
      from: "one-",
    });
    expect(Object.entries(printed.all.value.tags)).toEqual([
      ["__proto__", "x"],
      ["a b", ""],
    ]);
    expect(journal()).toContain("release one-");
    expect(journal()).not.toContain("release two-");
  });

  test("an ephemeral is opened, and closed with the private data of its open", async () => {
    const { run, journal } = await stack(`
      provider "echo" { journal = "JOURNAL" }
      ephemeral "echo_secret" "it" {
        text = "abc"
      }
      provider "echo" {
        alias   = "user"
        prefix  = ephemeral.echo_secret.it.result
        journal = "JOURNAL"
      }
      data "echo_read" "slow" {
        provider = echo.user
        text     = "x"
        delay_ms = 900
      }
      output "from" { value = data.echo_read.slow.from }
    `);
    const planned = await run(["plan"]);
    expect(planned.text).toMatch(/from += "abc"/);
    expect(journal().filter((line) => !line.startsWith("release"))).toEqual([
      "configure ",
      "open abc",
      "configure abc",
      "read x",
      "close with private of abc",
    ]);
  });

  test("an uncaught exception ends the provider without printing its secrets", async () => {
    const { run } = await stack(`data "echo_read" "it" {
      fail     = "crash"
      delay_ms = 5000
    }`);
    const { text, exitCode } = await run(["plan"], { TF_LOG: "TRACE" });
    expect(exitCode).toBe(1);
    expect(text).toMatch(/\[ERROR\].*internal error: the provider ends.*RangeError/);
    expect(text).not.toMatch(CANARY);
  });

  test("TF_LOG has the provider's lines with their levels and fields", async () => {
    const { run } = await stack(`data "echo_read" "it" {}`);
    const { text } = await run(["plan"], { TF_LOG_PROVIDER: "INFO" });
    expect(text).toMatch(/\[INFO\].*echo reads.*prefix=/);
    expect(text).not.toMatch("echo is configured");
  });

  test("serves Terraform without TLS when TLS is turned off", async () => {
    const { run } = await stack(`data "echo_read" "it" {}`);
    expect((await run(["plan"], { TF_DISABLE_PLUGIN_TLS: "1" })).text).not.toMatch(
      "Unrecognized remote plugin message",
    );
  });

  // In the plan of an apply Terraform does not ask its providers to stop: there it is the signal
  // itself that ends the waits.
  test.each([["plan"], ["apply", "-auto-approve"]])(
    "Ctrl-C in %s ends the waits, and no process is left",
    async (...args) => {
      const { folder, journal } = await stack(`
      provider "echo" { journal = "JOURNAL" }
      data "echo_read" "slow" {
        text     = "slow"
        delay_ms = 60000
      }
    `);
      const command = startTerraform(folder, [...args, "-no-color"], { scratch });
      await untilNoted(journal, "read slow");
      command.signalGroup("SIGINT");
      const { exitCode } = await command.finished;
      expect(exitCode).toBe(1);
      expect(journal()).toContain("read slow aborted");
      expect(journal().slice(journal().indexOf("read slow aborted"))).toContain("release ");
    },
  );
});
