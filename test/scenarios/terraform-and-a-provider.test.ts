/** Real Terraform and a provider of the plugin room, the echo provider, launched and attached. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { serveAttached } from "../../lib/plugin/serve/serve-attached";
import { ECHO_ADDRESS, writeEchoPackage, writeStack } from "../plugin/fixtures/echo-package";
import { CANARY, echoProvider } from "../plugin/fixtures/echo-provider";
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
        tags    = { "__proto__" = "x", "a b" = "" }
        names   = ["b", "a"]
        port    = 443.1
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
    const { tags, ...others } = (first?.value ?? {}) as Record<string, object>;
    expect(others).toMatchObject({ port: 443.1, open: true, names: ["a", "b"] });
    expect(Object.entries(tags ?? {})).toEqual([
      ["__proto__", "x"],
      ["a b", ""],
    ]);
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

scenarios("an attached provider", (stage) => {
  test("serves two processes with two configurations each, which stay separate, and nothing is installed", async () => {
    const server = await serveAttached(echoProvider);
    const attached = { TF_REATTACH_PROVIDERS: JSON.stringify({ [ECHO_ADDRESS]: server.reattach }) };
    const apply = async (name: string) => {
      const { folder, journal } = stackIn(
        join(stage().scratch.folder, name),
        `provider "echo" { prefix = "${name}-one-" }
        provider "echo" {
          alias   = "two"
          prefix  = "${name}-two-"
          journal = "JOURNAL"
        }
        data "echo_read" "one" { text = "x" }
        data "echo_read" "two" {
          provider = echo.two
          text     = "x"
          delay_ms = 300
        }
        output "all" { value = "\${data.echo_read.one.result} \${data.echo_read.two.result}" }`,
      );
      await stage().succeed(folder, "init", attached);
      const { text } = await stage().succeed(folder, APPLY, attached);
      expect(text).toMatch(`all = "${name}-one-x ${name}-two-x"`);
      // The server notices the end of a connection a moment after Terraform has ended.
      while (!journal().includes(`release ${name}-two-`))
        await new Promise((resolve) => setTimeout(resolve, 10));
      expect(existsSync(join(folder, ".terraform.lock.hcl"))).toBe(false);
    };
    await Promise.all(["a", "b"].map(apply)).finally(server.end);
  });
});
