/** Real Terraform, attached to the echo provider: a managed resource. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { type AttachedServer, serveAttached } from "../../../lib/plugin/serve/serve-attached";
import { ECHO_ADDRESS, writeStack } from "../../plugin/fixtures/echo-package";
import { echoProvider } from "../../plugin/fixtures/echo-provider";
import { stillRunning } from "../../support/processes";
import { makeScratch, type Scratch } from "../../support/scratch";
import { describeIf } from "../../support/skips";
import { hasTerraform, noTerraform, runTerraform } from "../../support/terraform";

jest.setTimeout(90_000);

describeIf(hasTerraform(), noTerraform())("a managed resource", () => {
  let scratch: Scratch;
  let server: AttachedServer;
  let count = 0;

  beforeAll(async () => {
    scratch = makeScratch();
    server = await serveAttached(echoProvider);
  });
  afterEach(async () => expect(await stillRunning(scratch.marker)).toEqual([]));
  afterAll(async () => {
    await server.close();
    scratch.remove();
  });

  const stack = async (body: string) => {
    count += 1;
    const folder = path.join(scratch.folder, `stack${count}`);
    const journalFile = path.join(folder, "journal");
    const write = (next: string) =>
      writeStack(
        folder,
        undefined,
        `provider "echo" { journal = "${journalFile}" }\n${next.replaceAll("FOLDER", folder)}`,
      );
    write(body);
    const run = (args: readonly string[]) =>
      runTerraform(folder, [...args, "-no-color"], {
        scratch,
        env: { TF_REATTACH_PROVIDERS: JSON.stringify({ [ECHO_ADDRESS]: server.reattach }) },
      });
    const succeed = async (...args: readonly string[]) => {
      const result = await run(args);
      if (result.exitCode !== 0) throw new Error(result.text);
      return result.text;
    };
    /**
     * The requests to the provider since the last look; plans differ by their private data.
     */
    const journal = () => {
      const lines = existsSync(journalFile)
        ? readFileSync(journalFile, "utf8").trim().split("\n")
        : [];
      rmSync(journalFile, { force: true });
      return lines
        .filter((line) => line.startsWith("file: "))
        .map((line) => line.slice("file: ".length));
    };
    const state = () => readFileSync(path.join(folder, "terraform.tfstate"), "utf8");
    const instance = () => JSON.parse(state()).resources[0]?.instances[0];
    return {
      folder,
      write,
      run,
      succeed,
      journal,
      state,
      instance,
      file: path.join(folder, "a.txt"),
    };
  };

  const block = (more: string) =>
    `resource "echo_file" "it" {\n  path = "FOLDER/a.txt"\n  ${more}\n}\n`;

  test("is created, unchanged, updated, replaced and destroyed, with its private data", async () => {
    const { write, succeed, journal, state, instance, file } = await stack(block('text = "one"'));
    expect(await succeed("plan")).toMatch(
      /\+ upper\s+= "ONE"\s+\+ writes\s+= \(known after apply\)/,
    );
    await succeed("apply", "-auto-approve");
    expect(readFileSync(file, "utf8")).toBe("one");
    expect(journal()).toContain("create, secret null");
    const before = state();
    expect(await succeed("apply", "-auto-approve")).toMatch("No changes");
    expect(state()).toBe(before);
    expect(new Set(journal())).toEqual(new Set(["plan with private of create"]));

    write(block('text = "two"'));
    expect(await succeed("apply", "-auto-approve")).toMatch("0 added, 1 changed, 0 destroyed");
    expect(journal()).toContain("update, secret null");
    expect(instance()).toMatchObject({
      schema_version: 2,
      attributes: { text: "two", upper: "TWO", writes: 2 },
    });

    const replaced = await succeed("apply", "-auto-approve", "-replace=echo_file.it");
    expect(replaced).toMatch("Echo says good-bye");
    expect(journal()).toEqual(
      expect.arrayContaining(["plan with private of update", "destroy", "create, secret null"]),
    );
    expect(instance().attributes.writes).toBe(1);
    await succeed("destroy", "-auto-approve");
    expect(existsSync(file)).toBe(false);
  });

  test("gets a write-only argument at apply, and it is in neither plan nor state", async () => {
    const wo = (version: number) =>
      `ephemeral "echo_secret" "it" { text = "hush-hush" }\n${block(`text = "one"\n  secret_wo = ephemeral.echo_secret.it.result\n  secret_version = ${version}`)}`;
    const { write, succeed, journal, state } = await stack(wo(1));
    await succeed("plan", "-out=saved");
    await succeed("apply", "saved");
    expect(journal()).toContain("create, secret hush-hush");
    expect(await succeed("apply", "-auto-approve")).toMatch("No changes");
    write(wo(2));
    await succeed("apply", "-auto-approve");
    expect(journal()).toContain("update, secret hush-hush");
    expect(state()).not.toMatch("hush-hush");
    const planned = JSON.parse(await succeed("show", "-json", "saved"));
    expect(JSON.stringify([planned.planned_values, planned.resource_changes])).not.toMatch(
      "hush-hush",
    );
  });

  test("is not imported, and refused by validate at its argument", async () => {
    const { write, run, file } = await stack(block('text = "one"'));
    const imported = await run(["import", "echo_file.it", file]);
    expect(imported.exitCode).toBe(1);
    expect(imported.text).toMatch("Echo does not import");
    write(block('text = "refused"'));
    const refused = await run(["validate"]);
    expect(refused.text).toMatch(/Echo refuses[\s\S]*text = "refused"/);
  });
});
