/** One running provider, attached to several Terraform processes by TF_REATTACH_PROVIDERS. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { type AttachedServer, serveAttached } from "../../../lib/plugin/serve/serve-attached";
import { ECHO_ADDRESS, writeStack } from "../../plugin/fixtures/echo-package";
import { echoProvider } from "../../plugin/fixtures/echo-provider";
import { makeScratch, type Scratch } from "../../support/scratch";
import { describeIf } from "../../support/skips";
import { hasTerraform, noTerraform, runTerraform } from "../../support/terraform";

jest.setTimeout(60_000);

describeIf(hasTerraform(), noTerraform())("a running provider under Terraform", () => {
  let scratch: Scratch;
  let server: AttachedServer;
  beforeEach(async () => {
    scratch = makeScratch();
    server = await serveAttached(echoProvider);
  });
  afterEach(async () => {
    await server.close();
    scratch.remove();
  });

  const attached = () => ({
    TF_REATTACH_PROVIDERS: JSON.stringify({ [ECHO_ADDRESS]: server.reattach }),
  });

  function stack(name: string, journal: string): string {
    const folder = path.join(scratch.folder, name);
    writeStack(
      folder,
      undefined,
      `
      provider "echo" {
        prefix  = "${name}-one-"
        journal = "${journal}"
      }
      provider "echo" {
        alias   = "two"
        prefix  = "${name}-two-"
        journal = "${journal}"
      }
      ephemeral "echo_secret" "it" {
        provider = echo.two
        text     = "${name}"
      }
      data "echo_read" "one" { text = "x" }
      data "echo_read" "two" {
        provider = echo.two
        text     = "x"
        delay_ms = 300
      }
      output "all" { value = "\${data.echo_read.one.result} \${data.echo_read.two.result}" }
      `,
    );
    return folder;
  }

  test("two processes with two configurations each stay separate, and no provider is launched or installed", async () => {
    const journal = path.join(scratch.folder, "journal");
    const apply = async (name: string) => {
      const folder = stack(name, journal);
      const run = (args: readonly string[]) =>
        runTerraform(folder, [...args, "-no-color"], { scratch, env: attached() });
      expect((await run(["init"])).exitCode).toBe(0);
      return (await run(["apply", "-auto-approve"])).text;
    };
    const [a, b] = await Promise.all([apply("a"), apply("b")]);
    expect(a).toMatch('all = "a-one-x a-two-x"');
    expect(b).toMatch('all = "b-one-x b-two-x"');
    const noted = () => readFileSync(journal, "utf8").split("\n");
    expect(noted()).toContain("close with private of a");
    // The server notices the end of a connection a moment after Terraform has ended.
    while (!noted().includes("release b-two-"))
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(existsSync(path.join(scratch.folder, "a", ".terraform.lock.hcl"))).toBe(false);
  });
});
