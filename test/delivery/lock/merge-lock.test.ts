import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { withoutNote } from "../../../lib/delivery/lock/cli-note";
import {
  cliFinds,
  cliUpgrades,
  cliViewOf,
  type RequiredProvider,
} from "../../../lib/delivery/lock/cli-view";
import { mergeLock } from "../../../lib/delivery/lock/merge-lock";
import { lockEntriesIn } from "../../../lib/hcl/lock-entries";
import { temporaryFolder } from "../../constructs/support";
import { expectOften } from "../../support/expect-often";
import { fuzz } from "../../support/fuzz";
import { processorTime } from "../../support/processor-time";

// The command line's own code takes seconds to load on a busy machine.
jest.setTimeout(60_000);

const OWN = {
  source: "npm.invalid/cdktf-iam-tokens/iam",
  version: "0.1.0",
  hashes: ["h1:d2luZG93cw==", "h1:b3duLWhhc2g="],
};
const own: RequiredProvider = { source: OWN.source, version: OWN.version };
const nullProvider = (version: string | undefined): RequiredProvider => ({
  source: "registry.terraform.io/hashicorp/null",
  version,
});
const docker = (version: string | undefined): RequiredProvider => ({
  source: "registry.terraform.io/kreuzwerker/docker",
  version,
});
const elsewhere = (version: string | undefined): RequiredProvider => ({
  source: "registry.example.com/team/thing",
  version,
});

/** An entry as Terraform writes it. */
const entry = (source: string, version: string, constraints?: string) =>
  [
    `provider "${source}" {`,
    constraints === undefined
      ? `  version = "${version}"`
      : `  version     = "${version}"\n  constraints = "${constraints}"`,
    "  hashes = [",
    '    "h1:c29tZS1oYXNo=",',
    '    "zh:0123456789abcdef",',
    "  ]",
    "}",
  ].join("\n");

const HEAD =
  '# This file is maintained automatically by "terraform init".\n# Manual edits may be lost in future updates.\n';
const OWN_ENTRY = [
  `provider "${OWN.source}" {`,
  '  version     = "0.1.0"',
  '  constraints = "0.1.0"',
  "  hashes = [",
  '    "h1:b3duLWhhc2g=",',
  '    "h1:d2luZG93cw==",',
  "  ]",
  "}",
].join("\n");

const merged = (text: string | undefined, required: readonly RequiredProvider[]): string =>
  mergeLock(text, OWN, required)?.text ?? "not merged";

/** The command line's decision about a lock file, by its own code. */
async function cliDecides(
  text: string | undefined,
  required: readonly RequiredProvider[],
): Promise<{ providersLock: boolean; upgrade: boolean }> {
  const workingDirectory = join(temporaryFolder(), "stack");
  mkdirSync(workingDirectory);
  if (text !== undefined) writeFileSync(join(workingDirectory, ".terraform.lock.hcl"), text);
  const required_providers = Object.fromEntries(
    required.map((provider, index) => [`p${index}`, provider]),
  );
  // Loaded late, as loading it looks for a Terraform; made without its constructor, which insists
  // on a version of each provider.
  const { CdktfStack } = jest.requireActual<{
    readonly CdktfStack: { readonly prototype: object };
  }>("@cdktf/cli-core/src/lib/cdktf-stack");
  const cli: CliStack = Object.assign(Object.create(CdktfStack.prototype), {
    options: {},
    stack: { name: "stack", workingDirectory },
    parsedContent: JSON.parse(JSON.stringify({ terraform: { required_providers } })),
  });
  return {
    providersLock: await cli.checkNeedsLockfileUpdate(),
    upgrade: Boolean(await cli.checkNeedsUpgrade()),
  };
}

/** The methods of the command line's class that decide. */
interface CliStack {
  checkNeedsLockfileUpdate(): Promise<boolean>;
  checkNeedsUpgrade(): Promise<boolean | undefined>;
}

const NOTHING_TO_DO = { providersLock: false, upgrade: false };

describe("the trap: the command line runs `terraform providers lock` when it misses a provider in the lock file", () => {
  test("it does so without us", async () => {
    expect(await cliDecides(undefined, [own])).toEqual({ providersLock: true, upgrade: false });
    expect(await cliDecides(`${HEAD}\n${OWN_ENTRY}\n`, [own, nullProvider("~> 3.0")])).toEqual({
      providersLock: true,
      upgrade: false,
    });
  });

  test.each([
    ["no other provider", [own]],
    ["another provider", [own, nullProvider("~> 3.0")]],
    ["several", [own, nullProvider("~> 3.0"), docker(">= 2.0, < 4.0"), elsewhere("< 3.0")]],
    ["a provider without a version", [own, nullProvider(undefined)]],
    ["a version that the command line cannot read", [own, nullProvider("latest")]],
  ])("first run, %s", async (_what, required) => {
    expect(await cliDecides(merged(undefined, required), required)).toEqual(NOTHING_TO_DO);
  });

  test("second run, when Terraform has written the file anew", async () => {
    const required = [own, nullProvider("~> 3.0")];
    const byTerraform = `${HEAD}\n${OWN_ENTRY}\n\n${entry(nullProvider("").source, "3.2.4", "~> 3.0")}\n`;
    expect(merged(byTerraform, required)).toBe(byTerraform);
    expect(await cliDecides(byTerraform, required)).toEqual(NOTHING_TO_DO);
  });

  test("second run with a provider without a version, which Terraform locks without constraints", async () => {
    const required = [own, nullProvider(undefined)];
    const byTerraform = `${HEAD}\n${OWN_ENTRY}\n\n${entry(nullProvider("").source, "3.2.4")}\n`;
    expect(await cliDecides(byTerraform, required)).toEqual({
      providersLock: true,
      upgrade: false,
    });
    expect(await cliDecides(merged(byTerraform, required), required)).toEqual(NOTHING_TO_DO);
  });

  test("a provider was added", async () => {
    const required = [own, nullProvider("~> 3.0"), docker("3.0.2")];
    const before = `${HEAD}\n${OWN_ENTRY}\n\n${entry(nullProvider("").source, "3.2.4", "~> 3.0")}\n`;
    const text = merged(before, required);
    expect(text.startsWith(before)).toBe(true);
    expect(await cliDecides(text, required)).toEqual(NOTHING_TO_DO);
  });

  test("a provider was removed: the note goes, the entry stays until Terraform removes it", () => {
    const withNote = merged(undefined, [own, nullProvider("~> 3.0")]);
    expect(withNote).toContain("/*");
    expect(merged(withNote, [own])).toBe(merged(undefined, [own]));
  });

  test("a constraint that the command line cannot match, such as an upper bound, does not lead into the trap either", async () => {
    const required = [own, nullProvider("< 4.0")];
    const byTerraform = `${HEAD}\n${OWN_ENTRY}\n\n${entry(nullProvider("").source, "3.2.4", "< 4.0.0")}\n`;
    expect((await cliDecides(merged(byTerraform, required), required)).providersLock).toBe(false);
  });
});

describe("a changed constraint", () => {
  const locked = (provider: RequiredProvider, constraints: string) =>
    `${HEAD}\n${OWN_ENTRY}\n\n${entry(provider.source, "3.2.4", constraints)}\n`;

  test("still makes the command line run `init -upgrade`, and no `providers lock`", async () => {
    for (const provider of [nullProvider("~> 4.0"), docker("~> 4.0")]) {
      const required = [own, provider];
      const text = merged(locked(provider, "~> 3.0"), required);
      expect(await cliDecides(text, required)).toEqual({ providersLock: false, upgrade: true });
      // Byte for byte the same when synthesized again before Terraform ran.
      expect(merged(text, required)).toBe(text);
    }
  });

  test("of a provider of another registry takes along one of the default registry", async () => {
    const required = [own, elsewhere("~> 4.0"), nullProvider("~> 3.0")];
    const text = merged(
      `${locked(elsewhere(""), "~> 3.0")}\n${entry(nullProvider("").source, "3.2.4", "~> 3.0")}\n`,
      required,
    );
    expect(await cliDecides(text, required)).toEqual({ providersLock: false, upgrade: true });
  });

  test("of a provider of only another registry is left to the user", async () => {
    const required = [own, elsewhere("~> 4.0")];
    const result = mergeLock(locked(elsewhere(""), "~> 3.0"), OWN, required);
    expect(result?.upgradeByHand).toEqual(["registry.example.com/team/thing"]);
    expect(await cliDecides(result?.text, required)).toEqual({
      providersLock: false,
      upgrade: false,
    });
  });

  test("has no effect once Terraform has carried it out", async () => {
    const required = [own, nullProvider("~> 4.0")];
    const text = merged(locked(nullProvider(""), "~> 4.0"), required);
    expect(text).toBe(locked(nullProvider(""), "~> 4.0"));
    expect(await cliDecides(text, required)).toEqual(NOTHING_TO_DO);
  });
});

describe("a lock file that the user has", () => {
  const users = `# mine\n${entry("registry.terraform.io/hashicorp/aws", "5.0.0", ">= 5.0.0")}\n\n\n${entry("aaa.example.com/x/y", "1.0.0", "1.0.0")}\n# end`;

  test("is kept byte for byte around our entry", () => {
    const text = merged(users, [
      own,
      { source: "registry.terraform.io/hashicorp/aws", version: ">= 5.0" },
    ]);
    expect(text.replace(OWN_ENTRY, "").replace(/\n\n/g, "")).toBe(users.replace(/\n\n/g, ""));
    expect(text).toContain(OWN_ENTRY);
    expect(merged(text, [own])).toBe(text);
  });

  test("keeps its line ends", async () => {
    const windows =
      `${HEAD}\n${entry("registry.terraform.io/hashicorp/aws", "5.0.0", ">= 5.0.0")}\n`.replaceAll(
        "\n",
        "\r\n",
      );
    const required = [own, nullProvider("~> 3.0")];
    const text = merged(windows, required);
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
    expect(await cliDecides(text, required)).toEqual(NOTHING_TO_DO);
    expect(merged(text, required)).toBe(text);
    expect(
      merged(text, [own]).replace(OWN_ENTRY.replaceAll("\n", "\r\n"), "").replaceAll("\r\n", ""),
    ).toBe(windows.replaceAll("\r\n", ""));
  });

  test("gets our entry where Terraform would sort it", () => {
    const text = merged(
      `${HEAD}\n${entry("aaa.example.com/x/y", "1.0.0")}\n\n${entry("registry.terraform.io/hashicorp/aws", "5.0.0")}\n`,
      [own],
    );
    expect([...text.matchAll(/provider "(.*)"/g)].map((match) => match[1])).toEqual([
      "aaa.example.com/x/y",
      OWN.source,
      "registry.terraform.io/hashicorp/aws",
    ]);
  });

  test("loses entries of an older version of ours, even two of them", () => {
    const old = entry(OWN.source, "0.0.9", "0.0.9");
    const text = merged(`${HEAD}\n${old}\n\n${old}\n`, [own]);
    expect(text.match(/npm\.invalid/g)).toHaveLength(1);
    expect(text).toContain(OWN_ENTRY);
    expect(text).not.toContain("0.0.9");
  });

  test("with our version and other content gets the content's hash", () => {
    const other = OWN_ENTRY.replace("h1:b3duLWhhc2g=", "h1:b3RoZXI=");
    expect(merged(`${HEAD}\n${other}\n`, [own])).toBe(`${HEAD}\n${OWN_ENTRY}\n`);
  });

  test("with the hash of one platform's folder gets those of all", () => {
    const one = OWN_ENTRY.replace('    "h1:d2luZG93cw==",\n', "");
    expect(one).not.toBe(OWN_ENTRY);
    expect(merged(`${HEAD}\n${one}\n`, [own])).toBe(`${HEAD}\n${OWN_ENTRY}\n`);
  });

  test("keeps additional hashes of our entry", () => {
    const more = `${HEAD}\n${OWN_ENTRY.replace("  ]", '    "zh:0123",\n  ]')}\n`;
    expect(merged(more, [own])).toBe(more);
  });

  test("with an empty constraint satisfies the command line as it is", async () => {
    const required = [own, nullProvider("~> 3.0")];
    const text = `${HEAD}\n${OWN_ENTRY}\n\n${entry(nullProvider("").source, "3.2.4", "")}\n`;
    expect(await cliDecides(text, required)).toEqual(NOTHING_TO_DO);
    expect(merged(text, required)).toBe(text);
  });

  test("is unchanged if Terraform could not read it", () => {
    expect(mergeLock('<<<<<<< ours\nprovider "a" {\n', OWN, [own])).toBeUndefined();
  });

  test("that is commented out in part confuses the command line, but not this", async () => {
    const required = [own, nullProvider("~> 3.0"), docker("3.0.2")];
    const confusing = `${HEAD}\n${entry(nullProvider("").source, "3.2.4", "~> 3.0")}\n\n# provider "x/y/z" {\n#   version = "1.0.0"\n`;
    expect(await cliDecides(merged(confusing, required), required)).toEqual(NOTHING_TO_DO);
  });

  test("an address that could end the comment is left out of it", () => {
    const text = merged(undefined, [own, { source: 'x/y/*/"z', version: "1" }, nullProvider("1")]);
    expect(text).not.toContain("x/y");
    expect(text.match(/\*\//g)).toHaveLength(1);
  });
});

test("replaces an entry of ours with very many empty lines in linear time", async () => {
  const text = `provider "${OWN.source}" {\n${"\n".repeat(150_000)}}\n`;
  const took = await processorTime(() => {
    expect(mergeLock(text, OWN, [own])?.text).toBe(`${OWN_ENTRY}\n`);
  });
  // It was 25 s where the time grew with the square.
  expect(took).toBeLessThan(15_000);
});

describe("whatever a lock file has in it", () => {
  const source = fc.constantFrom(
    OWN.source,
    nullProvider("").source,
    docker("").source,
    elsewhere("").source,
    "hashicorp/null",
  );
  const version = fc.constantFrom("3.2.4", "0.1.0", "1.0.0-rc.1");
  const constraints = fc.constantFrom("~> 3.0", "< 4.0.0", ">= 1.2, < 2.0", "", "latest", "3.2.4");
  const block = fc
    .tuple(source, version, fc.option(constraints, { nil: undefined }))
    .map((given) => entry(...given));
  const piece = fc.oneof(
    { weight: 4, arbitrary: block },
    fc.constantFrom(
      "\n",
      "\n\n",
      "\n# a comment",
      "\n/* another */",
      '\n# provider "x/y/z" {\n',
      '\n/*\nprovider "x/y/z" {\n*/\n',
      'provider "x" {',
      "}",
      "é",
      "<<<<<<< HEAD\n",
    ),
  );
  const file = fc
    .tuple(fc.array(piece, { maxLength: 5 }), fc.constantFrom("\n", "\r\n"))
    .map(([pieces, eol]) => pieces.join("\n").replaceAll("\n", eol));
  const required = fc
    .uniqueArray(
      fc.tuple(
        fc.constantFrom(nullProvider, docker, elsewhere),
        fc.constantFrom("~> 3.0", "< 4.0", "3.2.4", "latest", undefined),
      ),
      { maxLength: 3, selector: ([make]) => make },
    )
    .map((others) => [own, ...others.map(([make, given]) => make(given))]);

  test("ours is in it once, the others as they were, and the command line finds all and upgrades what it would have", () => {
    let merges = 0;
    fc.assert(
      fc.property(fc.option(file, { nil: undefined }), required, (before, wanted) => {
        const after = mergeLock(before, OWN, wanted);
        const entriesOf = (text: string) =>
          lockEntriesIn(text)?.map((each) => [each.source, text.slice(each.start, each.end)]);
        expectOften(after === undefined).toBe(entriesOf(before ?? "") === undefined);
        if (after === undefined) return;
        merges++;
        const entries = entriesOf(after.text) ?? [];
        const others = entries.filter(([name]) => name !== OWN.source);
        expectOften(entries).toHaveLength(others.length + 1);
        expectOften(others).toEqual(
          entriesOf(before ?? "")?.filter(([name]) => name !== OWN.source),
        );
        expectOften(mergeLock(after.text, OWN, wanted)?.text).toBe(after.text);
        const view = cliViewOf(after.text);
        for (const provider of wanted)
          expectOften([provider, cliFinds(view, provider)]).toEqual([provider, true]);
        // The note hides no upgrade without saying so, and asks for none.
        const upgrades = cliUpgrades(cliViewOf(withoutNote(after.text)), wanted);
        expectOften(cliUpgrades(view, wanted) || after.upgradeByHand.length > 0).toBe(upgrades);
      }),
      fuzz(2000),
    );
    expect(merges).toBeGreaterThan(200);
  });

  test("replaces an existing note, even if Terraform has put entries behind it", () => {
    fc.assert(
      fc.property(
        file,
        required,
        required,
        fc.array(block, { maxLength: 2 }),
        (text, first, then, more) => {
          const once = mergeLock(text, OWN, first);
          fc.pre(once !== undefined);
          const byTerraform = [once?.text, ...more].join("\n");
          const after = mergeLock(byTerraform, OWN, then);
          expectOften(
            after?.text.match(/cdktf-iam-tokens: for the CDKTF/g)?.length ?? 0,
          ).toBeLessThan(2);
          expectOften(mergeLock(after?.text, OWN, then)?.text).toBe(after?.text);
        },
      ),
      fuzz(),
    );
  });
});
