/** Real Terraform against the echo provider. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { stillRunning } from "../../support/processes";
import { makeScratch, type Scratch } from "../../support/scratch";
import { hasTerraform, runTerraform } from "../../support/terraform";
import { writeEchoPackage, writeStack } from "../fixtures/echo-package";

jest.setTimeout(60_000);
const withTerraform = hasTerraform() ? describe : describe.skip;

withTerraform("a launched provider under Terraform", () => {
  let scratch: Scratch;
  let packageFolder: string;

  beforeAll(async () => {
    scratch = makeScratch();
    packageFolder = path.join(scratch.folder, "package");
    await writeEchoPackage(packageFolder);
  });
  afterEach(async () => {
    expect(await stillRunning(scratch.marker)).toEqual([]);
    expect(scratch.leftovers()).toEqual([]);
  });
  afterAll(() => scratch.remove());

  let count = 0;
  const stack = async (configuration: string) => {
    count += 1;
    const folder = path.join(scratch.folder, `stack${count}`);
    const journalFile = path.join(folder, "journal");
    writeStack(folder, packageFolder, configuration.replaceAll("JOURNAL", journalFile));
    const run = (args: readonly string[], env: Record<string, string> = {}) =>
      runTerraform(folder, [...args, "-no-color"], { scratch, env });
    expect((await run(["init"])).text).toMatch("successfully initialized");
    const journal = () => (existsSync(journalFile) ? readFileSync(journalFile, "utf8").trim().split("\n") : []);
    return { folder, run, journal, journalFile };
  };

  test("two configurations, values of every shape, a warning: plan and apply", async () => {
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
        numbers = [1, 0.1, -2.5, 12345678901234567890123, 9007199254740993]
        tags    = { "__proto__" = "x", "a b" = "" }
        shape   = { port = 443, open = true, names = ["b", "a"] }
        fail    = "warning"
      }
      data "echo_read" "second" {
        provider = echo.two
        text     = data.echo_read.first.result
      }
      output "all" { value = data.echo_read.first }
      output "second" { value = data.echo_read.second.result }
    `);
    const applied = await run(["apply", "-auto-approve"]);
    expect(applied.text).toMatch("Warning: Echo warns");
    expect(applied.text).toMatch(/second += "two-one-ä€𝄞"/);
    expect(applied.exitCode).toBe(0);
    const shown = JSON.parse((await run(["output", "-json"])).stdout);
    expect(shown.all.value).toMatchObject({ shape: { port: 443, open: true, names: ["a", "b"] }, from: "one-" });
    expect(Object.entries(shown.all.value.tags)).toEqual([
      ["__proto__", "x"],
      ["a b", ""],
    ]);
    const state = (await run(["state", "pull"])).stdout;
    expect(state).toMatch(/\[\s*1,\s*0\.1,\s*-2\.5,\s*12345678901234567890123,\s*9007199254740993\s*\]/);
    expect(journal()).toContain("release one-");
  });
});
