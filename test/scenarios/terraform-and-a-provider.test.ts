/** Real Terraform and a provider of the plugin room, the echo provider. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeEchoPackage, writeStack } from "../plugin/fixtures/echo-package";
import { CANARY } from "../plugin/fixtures/echo-provider";
import { scenarios } from "./world";

const APPLY = "apply -auto-approve -no-color";

/** A stack. JOURNAL in its text is the file that the provider writes down its calls in. */
function stackIn(folder: string, configuration: string, launched?: string) {
  const file = join(folder, "journal");
  const write = (text: string, from?: string) =>
    writeStack(folder, from, text.replaceAll("JOURNAL", file).replaceAll("FOLDER", folder));
  write(configuration, launched);
  /** The calls since the last look. */
  const journal = () => {
    const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    rmSync(file, { force: true });
    return lines;
  };
  return { folder, write, journal };
}

// SECURITY.md: an unexpected exception as a general message.
scenarios("a launched provider", (stage) => {
  /** A stack after init, with the provider in a folder that shells could take for more. */
  async function launched(configuration: string) {
    const folder = join(stage().scratch.folder, "package 'with\" odd $name");
    await writeEchoPackage(folder);
    const stack = stackIn(join(stage().scratch.folder, "stack"), configuration, folder);
    await stage().succeed(stack.folder, "init");
    return stack;
  }

  test("has two configurations, values of every shape, a warning, and an ephemeral that is closed with the private data of its open", async () => {
    const { folder, journal } = await launched(`
      provider "echo" { journal = "JOURNAL" }
      ephemeral "echo_secret" "it" { text = "abc" }
      provider "echo" {
        alias   = "two"
        prefix  = ephemeral.echo_secret.it.result
        journal = "JOURNAL"
      }
      data "echo_read" "first" {
        text    = "ä€𝄞"
        tags    = { "a b" = "" }
        names   = ["b", "a"]
        port    = 443
        open    = true
        fail    = "warning"
      }
      data "echo_read" "second" {
        provider = echo.two
        text     = data.echo_read.first.result
        delay_ms = 900
      }
      output "first" { value = data.echo_read.first }
      output "second" { value = data.echo_read.second.result }
    `);
    await stage().succeed(folder, "plan");
    const calls = journal().filter((line) => !line.startsWith("release"));
    expect(calls.at(-1)).toBe("close with private of abc");
    expect(calls.sort()).toEqual([
      "close with private of abc",
      "configure ",
      "configure abc",
      "open abc",
      "read ä€𝄞",
      "read ä€𝄞",
    ]);
    expect((await stage().succeed(folder, APPLY)).text).toMatch("Warning: Echo warns");
    const { first, second } = await stage().outputs(folder);
    expect(second?.value).toBe("abcä€𝄞");
    const tags = { "a b": "" };
    expect(first?.value).toMatchObject({ tags, port: 443, open: true, names: ["a", "b"] });
    expect(journal()).toContain("release abc");
  });

  test("that throws ends without printing its secrets; a log has its lines with their levels and fields", async () => {
    const { folder, write } = await launched('data "echo_read" "it" {}');
    const log = async (variable: string, level: string) =>
      (await stage().terraform(folder, "plan", { [variable]: level })).text;
    const info = await log("TF_LOG_PROVIDER", "INFO");
    expect(info).toMatch(/\[INFO\].*echo reads.*prefix=/);
    expect(info).not.toMatch("echo is configured");
    const { text } = await stage().succeed(folder, "plan", { TF_DISABLE_PLUGIN_TLS: "1" });
    expect(text).not.toMatch("Unrecognized remote plugin message");
    write('data "echo_read" "it" {\n  fail     = "crash"\n  delay_ms = 5000\n}\n');
    const trace = await log("TF_LOG", "TRACE");
    expect(trace).toMatch(/\[ERROR\].*internal error: the provider ends.*RangeError/);
    expect(trace).not.toMatch(CANARY);
  });
});
