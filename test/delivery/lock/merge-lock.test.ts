import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { RequiredProvider } from "../../../lib/delivery/lock/command-line-note";
import { mergeLock } from "../../../lib/delivery/lock/merge-lock";
import { lockEntriesIn } from "../../../lib/hcl/lock-entries";
import { fuzz } from "../../support/fuzz";
import { temporaryFolder } from "../../support/temporary-folder";

// The command line's own code takes seconds to load on a busy machine.
jest.setTimeout(60_000);

// The command line's terminal is compiled, which an installation without scripts leaves out.
jest.mock("@cdktf/node-pty-prebuilt-multiarch", () => ({}));

const OWN = {
  source: "npm.invalid/cdktf-iam-tokens/iam",
  version: "0.1.0",
  hashes: ["h1:d2luZG93cw==", "h1:b3duLWhhc2g="],
};
const NULL = "registry.terraform.io/hashicorp/null";
const DOCKER = "registry.terraform.io/kreuzwerker/docker";
const of = (source: string, version?: string): RequiredProvider => ({ source, version });

/** An entry as Terraform writes it. */
const entry = (source: string, constraints?: string, version = "3.2.4", hashes = HASHES) =>
  `provider "${source}" {
${constraints === undefined ? `  version = "${version}"` : `  version     = "${version}"\n  constraints = "${constraints}"`}
  hashes = [
${hashes.map((hash) => `    "${hash}",\n`).join("")}  ]
}`;
const HASHES = ["h1:c29tZS1oYXNo=", "zh:0123456789abcdef"];

const HEAD = `# This file is maintained automatically by "terraform init".
# Manual edits may be lost in future updates.`;
const OWN_ENTRY = entry(OWN.source, "0.1.0", "0.1.0", [...OWN.hashes].reverse());

const fileOf = (...parts: readonly string[]) => `${parts.join("\n\n")}\n`;
/** A lock file with our entry and others. */
const locked = (...entries: readonly string[]) => fileOf(HEAD, OWN_ENTRY, ...entries);

const merged = (
  text: string | undefined,
  required: readonly RequiredProvider[],
  changed: readonly string[] = [],
) => mergeLock(text, OWN, required, (source) => changed.includes(source)) ?? "not merged";

/** What the command line runs with a lock file, by its own code. */
async function commandLineRuns(text: string | undefined, required: readonly RequiredProvider[]) {
  const workingDirectory = temporaryFolder();
  if (text !== undefined) writeFileSync(join(workingDirectory, ".terraform.lock.hcl"), text);
  const required_providers = Object.fromEntries(
    required.map((provider, index) => [`p${index}`, provider]),
  );
  // Loaded late, as loading it looks for a Terraform; made without its constructor, which insists
  // on a version of each provider.
  const { CdktfStack } = jest.requireActual("@cdktf/cli-core/src/lib/cdktf-stack");
  const stack = Object.assign(Object.create(CdktfStack.prototype), {
    options: {},
    stack: { name: "stack", workingDirectory },
    parsedContent: JSON.parse(JSON.stringify({ terraform: { required_providers } })),
  });
  return [
    ...((await stack.checkNeedsLockfileUpdate()) ? ["providers lock"] : []),
    ...((await stack.checkNeedsUpgrade()) ? ["init -upgrade"] : []),
  ];
}

test("without us, the command line runs `providers lock` when it misses a provider", async () => {
  expect(await commandLineRuns(undefined, [OWN])).toEqual(["providers lock"]);
  expect(await commandLineRuns(locked(), [OWN, three])).toEqual(["providers lock"]);
});

const THREE = entry(NULL, "~> 3.0");
const three = of(NULL, "~> 3.0");

test.each<[string, string | undefined, readonly RequiredProvider[], string]>([
  ["a first run", undefined, [three, of(DOCKER, ">= 2.0, < 4.0")], "noted"],
  ["a file that Terraform has written", locked(THREE), [three], "as it is"],
  ["a provider that was added", locked(THREE), [three, of(DOCKER, "3.0.2")], "noted"],
  ["an exact version", locked(entry(NULL, "3.2.4")), [of(NULL, "3.2.4")], "as it is"],
  ["no version", locked(entry(NULL)), [of(NULL)], "noted"],
  // Terraform joins the constraints of the stack and of its modules.
  ["a module's", locked(entry(NULL, "~> 3.0, >= 3.5.0")), [three], "noted"],
  [
    "more than one constraint",
    locked(entry(NULL, ">= 1.2.0, < 2.0.0")),
    [of(NULL, ">= 1.2.0, < 2.0.0")],
    "noted",
  ],
  // The synthesis before was on another machine: `terraform init` says what to do.
  ["an unseen change", locked(THREE), [of(NULL, "~> 4.0")], "noted"],
  ["a comment with an entry", `${locked(THREE)}# provider "x/y/z" {\n`, [three], "as it is"],
])("%s: the command line leaves everything to `terraform init`", async (_, text, others, is) => {
  const required = [OWN, ...others];
  const result = merged(text, required);
  expect(await commandLineRuns(result, required)).toEqual([]);
  if (is === "as it is") expect(result).toBe(text);
  else expect(result).toContain("\n/* cdktf-iam-tokens: for the CDKTF command line");
  expect(merged(result, required)).toBe(result);
  // Without them, the note goes.
  expect(merged(result, [OWN])).not.toContain("/*");
});

const OLD = entry(OWN.source, "0.0.9", "0.0.9");
const AAA = entry("aaa.example.com/x/y");
const MORE = locked().replace("  ]", '    "zh:1",\n  ]');

test.each<[string, string | undefined, string]>([
  ["is alone in a new file", undefined, locked()],
  ["is alone in an empty file", "", `${OWN_ENTRY}\n`],
  ["is where Terraform sorts it", fileOf(HEAD, AAA, THREE), fileOf(HEAD, AAA, OWN_ENTRY, THREE)],
  ["is last after others", fileOf(HEAD, AAA).trim(), fileOf(HEAD, AAA, OWN_ENTRY)],
  ["replaces older ones", fileOf(HEAD, OLD, OLD, THREE), locked(THREE)],
  ["gets new hashes", locked().replace("b3duLWhhc2g", "b3RoZXI"), locked()],
  ["gets the hashes of all platforms", locked().replace(/.*d2luZG93cw.*\n/, ""), locked()],
  ["keeps hashes that Terraform added", MORE, MORE],
  [
    "keeps what the user wrote",
    `# mine\n${THREE}\n\n\n# end`,
    `# mine\n${OWN_ENTRY}\n\n${THREE}\n\n\n# end`,
  ],
  ["is not written into a file that Terraform cannot read", "<<<<<<< ours\n", "not merged"],
])("our entry %s", (_, text, expected) => {
  expect(merged(text, [OWN])).toBe(expected);
  const windows = text?.replaceAll("\n", "\r\n");
  if (windows) expect(merged(windows, [OWN])).toBe(expected.replaceAll("\n", "\r\n"));
});

test("an address that could end the comment is left out of it", () => {
  const text = merged(undefined, [OWN, of('x/y/*/"z', "1"), of(NULL, "1")]);
  expect(text).not.toContain("x/y");
  expect(text.match(/\*\//g)).toHaveLength(1);
});

const SOURCES = [NULL, DOCKER, "registry.example.com/team/thing"];
const constraint = fc.constantFrom(
  ...["~> 3.0", "~> 3", ">= 1.2.0, < 2.0.0", "", "latest", "3.2.4", "1.0.0-rc.1", "!= 3.0.0"],
  ...["~> 1.2.0-rc.1", ">= 2", "> 3.0.0", "= 3.2.4", undefined],
);
const block = fc
  .tuple(fc.constantFrom(OWN.source, ...SOURCES), constraint)
  .map(([source, given]) => entry(source, given));
const file = fc
  .tuple(
    fc.array(fc.oneof(block, fc.constantFrom("# a comment", "")), { maxLength: 5 }),
    fc.constantFrom("\n", "\r\n", "\n\n"),
  )
  .map(([parts, eol]) => parts.join("\n").replaceAll("\n", eol));
const others = fc
  .tuple(fc.shuffledSubarray(SOURCES), constraint, constraint)
  .map(([sources, ...versions]) => [
    OWN,
    ...sources.map((source, index) => of(source, versions[index])),
  ]);
const entriesOf = (text: string) =>
  (lockEntriesIn(text) ?? []).map((each) => [each.source, each.text]);

test("whatever a lock file has in it, it keeps all but what changed, is the same when it is merged again, and leaves everything to `terraform init`", async () => {
  await fc.assert(
    fc.asyncProperty(file, others, fc.subarray([NULL, DOCKER]), async (text, required, changed) => {
      const once = merged(text, required, changed);
      const kept = entriesOf(text).filter(
        ([name]) => name !== OWN.source && !changed.includes(name ?? ""),
      );
      const all = entriesOf(once.replace(/\/\*[\s\S]*/, ""));
      expect(all.filter(([name]) => name !== OWN.source)).toEqual(kept);
      expect(all).toHaveLength(kept.length + 1);
      expect(merged(once, required)).toBe(once);
      // Terraform may put entries behind a note.
      const more = merged(`${once}\n${THREE}\n`, required);
      expect(more.split("/* cdktf-iam-tokens").length).toBeLessThan(3);
      expect(await commandLineRuns(once, required)).toEqual([]);
    }),
    fuzz(300),
  );
});
