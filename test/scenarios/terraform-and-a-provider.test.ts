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
    const { tags, ...others } = (first?.value ?? {}) as Record<string, object>;
    expect(others).toMatchObject({ port: 443, open: true, names: ["a", "b"] });
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
  let attached: { readonly TF_REATTACH_PROVIDERS: string };
  let server: Awaited<ReturnType<typeof serveAttached>>;
  beforeEach(async () => {
    server = await serveAttached(echoProvider);
    attached = { TF_REATTACH_PROVIDERS: JSON.stringify({ [ECHO_ADDRESS]: server.reattach }) };
  });
  afterEach(() => server.close());

  const stack = (name: string, configuration: string) =>
    stackIn(join(stage().scratch.folder, name), configuration);
  const succeed = async (folder: string, args: string) =>
    (await stage().succeed(folder, args, attached)).text;

  test("serves two processes with two configurations each, which stay separate, and nothing is installed", async () => {
    const apply = async (name: string) => {
      const { folder, journal } = stack(
        name,
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
      await succeed(folder, "init");
      expect(await succeed(folder, APPLY)).toMatch(`all = "${name}-one-x ${name}-two-x"`);
      // The server notices the end of a connection a moment after Terraform has ended.
      while (!journal().includes(`release ${name}-two-`))
        await new Promise((resolve) => setTimeout(resolve, 10));
      expect(existsSync(join(folder, ".terraform.lock.hcl"))).toBe(false);
    };
    await Promise.all(["a", "b"].map(apply));
  });

  const file = (more: string, before = "") =>
    `provider "echo" { journal = "JOURNAL" }\n${before}resource "echo_file" "it" {\n  path = "FOLDER/a.txt"\n  ${more}\n}\n`;

  test("has a resource that is created, unchanged, updated, replaced and destroyed with its private data, and not imported", async () => {
    const { folder, write, journal } = stack("managed", file('text = "one"'));
    const path = join(folder, "a.txt");
    const state = () => readFileSync(join(folder, "terraform.tfstate"), "utf8");
    const attributes = () => JSON.parse(state()).resources[0].instances[0].attributes;
    const imported = await stage().terraform(folder, `import echo_file.it ${path}`, attached);
    expect(imported.exitCode).toBe(1);
    expect(await succeed(folder, APPLY)).toMatch(/\+ writes\s+= \(known after apply\)/);
    expect(readFileSync(path, "utf8")).toBe("one");
    const before = state();
    journal();
    expect(await succeed(folder, APPLY)).toMatch("No changes");
    expect(state()).toBe(before);
    expect(new Set(journal().filter((line) => line.startsWith("file")))).toEqual(
      new Set(["file: plan with private of create"]),
    );

    write(file('text = "two"'));
    expect(await succeed(folder, APPLY)).toMatch("0 added, 1 changed, 0 destroyed");
    expect(attributes()).toMatchObject({ text: "two", upper: "TWO", writes: 2 });
    await succeed(folder, `${APPLY} -replace=echo_file.it`);
    expect(journal()).toEqual(
      expect.arrayContaining(["file: plan with private of update", "file: destroy"]),
    );
    expect(attributes().writes).toBe(1);
    write(file('text = "refused"'));
    const { text } = await stage().terraform(folder, "validate -no-color", attached);
    expect(text).toMatch(/Echo refuses[\s\S]*text = "refused"/);
    write(file('text = "two"'));
    await succeed(folder, "destroy -auto-approve");
    expect(existsSync(path)).toBe(false);
  });

  test("gets a write-only argument at apply, and it is in neither plan nor state", async () => {
    const secret = 'ephemeral "echo_secret" "it" { text = "hush-hush" }\n';
    const pushed = (version: number) =>
      file(
        `text = "one"\n  secret_wo = ephemeral.echo_secret.it.result\n  secret_version = ${version}`,
        secret,
      );
    const { folder, write, journal } = stack("write-only", pushed(1));
    await succeed(folder, "plan -out=saved");
    await succeed(folder, "apply saved");
    expect(journal()).toContain("file: create, secret hush-hush");
    expect(await succeed(folder, APPLY)).toMatch("No changes");
    write(pushed(2));
    await succeed(folder, APPLY);
    expect(journal()).toContain("file: update, secret hush-hush");
    expect(readFileSync(join(folder, "terraform.tfstate"), "utf8")).not.toMatch("hush-hush");
    const planned = JSON.parse(await succeed(folder, "show -json saved"));
    expect(JSON.stringify([planned.planned_values, planned.resource_changes])).not.toMatch(
      "hush-hush",
    );
  });
});
