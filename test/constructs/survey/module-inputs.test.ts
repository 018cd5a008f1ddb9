import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import { dirname, join, relative } from "node:path";
import { AssetType, TerraformAsset, TerraformHclModule, TerraformStack, Testing } from "cdktf";
import { isEphemeralVariable } from "../../../lib/constructs/survey/module-variable";
import {
  accountToken,
  annotationsOf,
  identityIn,
  mistakesOf,
  temporaryFolder,
  testStack,
} from "../support";

const DECLARED = 'variable "api_token" {\n  type = string\n  ephemeral = true # a token\n}\n';

function moduleOf(files: Readonly<Record<string, string>>): string {
  const folder = join(temporaryFolder(), "module");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** The warnings of a stack whose module of this source is given an ephemeral token. */
function warningsFor(
  source: string,
  { stack = testStack(), ...more }: { stack?: TerraformStack; [option: string]: unknown } = {},
): string[] {
  const identity = identityIn(stack);
  const token = accountToken(stack, { identity }, "web");
  const variables = { api_token: token.value };
  new TerraformHclModule(stack, "m", { source, variables, ...more });
  expect(mistakesOf(stack)).toEqual([]);
  return annotationsOf(stack, "warn");
}

const NOT_CERTAIN = [
  expect.stringMatching(
    /^stack\/m: The module's input api_token gets the ephemeral token stack\/web: Terraform accepts that only if the module declares the variable with ephemeral = true\./,
  ),
];
const UNDECLARED = [
  expect.stringMatching(
    /^stack\/m: The module's input api_token gets the ephemeral token stack\/web, but .* declares the variable without ephemeral = true: Terraform will refuse it\. Add ephemeral = true there\./,
  ),
];

describe("an ephemeral token in the input of a local module", () => {
  test.each<[string, Record<string, string>]>([
    ["HCL", { "variables.tf": DECLARED, "main.tf": 'locals { s = "a ${var.api_token} {" }\n' }],
    ["JSON", { "variables.tf.json": '{"variable": {"api_token": {"ephemeral": true}}}' }],
    ["JSON in lists", { "v.tf.json": '{"variable": [{"api_token": [{"ephemeral": true}]}]}' }],
    ["as a string", { "v.tf": DECLARED.replace("true", '"true"') }],
    [
      "one that another file overrides",
      {
        "v.tf": 'variable "api_token" {}',
        "v_override.tf": DECLARED,
      },
    ],
    [
      "last in the files that override",
      {
        "a.tf": DECLARED.replace("true", "false"),
        "b_override.tf": DECLARED,
        "a_override.tf.json": '{"variable": {"api_token": {"ephemeral": false}}}',
        "override.tf": 'variable "api_token" {}',
      },
    ],
    [
      "in a file that overrides one whose name only ends the same",
      { "myoverride.tf": DECLARED.replace("true", "false"), "a_few_override.tf": DECLARED },
    ],
    [
      "in override.tf, which holds for files of later names",
      { "override.tf": DECLARED, "v.tf": DECLARED.replace("true", "false") },
    ],
  ])("gets no warning if the module declares it as ephemeral: %s", (_name, files) => {
    expect(warningsFor(moduleOf(files))).toEqual([]);
  });

  test.each<[string, Record<string, string>]>([
    ["an ordinary variable", { "v.tf": 'variable "api_token" {}\n' }],
    ["ephemeral = false", { "v.tf": 'variable "api_token" {\n  ephemeral = false\n}\n' }],
    [
      "another variable that is",
      {
        "v.tf": `${DECLARED.replace("api_token", "other")}variable "api_token" {}\n`,
      },
    ],
    [
      "an output of its name that is",
      { "v.tf": `variable "api_token" {}\n${DECLARED.replace("variable", "output")}` },
    ],
    [
      "one that another file overrides with false",
      { "v.tf": DECLARED, "v_override.tf": DECLARED.replace("true", "false") },
    ],
    ["a comment alone", { "v.tf": 'variable "api_token" {\n  # ephemeral = true\n}\n' }],
    ["JSON", { "v.tf.json": '{"variable": {"api_token": {}}}' }],
  ])("gets a definite warning if the module declares it otherwise: %s", (_name, files) => {
    expect(warningsFor(moduleOf(files))).toEqual(UNDECLARED);
  });

  test.each<[string, Record<string, string>]>([
    ["has no such variable", { "v.tf": 'variable "other" {\n  ephemeral = true\n}\n' }],
    ["is not HCL", { "v.tf": `${DECLARED}}` }],
    ["is not JSON", { "v.tf": DECLARED, "w.tf.json": "{" }],
    ["is larger than people write", { "v.tf": DECLARED + "#".repeat(1024 * 1024) }],
    ["declares it in a folder below", { "main.tf": "", "below/v.tf": DECLARED }],
    [
      "declares it in a file that is not configuration",
      { "v.tf.txt": DECLARED, ".v.tf": DECLARED },
    ],
    [
      "has a string there, in JSON",
      { "v.tf.json": '{"variable": {"api_token": {"ephemeral": "true"}}}' },
    ],
    ["has no variables, in JSON", { "v.tf.json": '{"locals": {}}' }],
    [
      "overrides it with null, in JSON",
      { "v.tf": DECLARED, "override.tf.json": '{"variable": {"api_token": {"ephemeral": null}}}' },
    ],
    ["has an expression there", { "v.tf": 'variable "api_token" {\n  ephemeral = !false\n}\n' }],
  ])("keeps the warning if the module %s", (_name, files) => {
    expect(warningsFor(moduleOf(files))).toEqual(NOT_CERTAIN);
  });

  test.each([
    { source: "./module", known: true },
    { source: "module", known: undefined },
    { source: "registry/../module", known: undefined },
    { source: { produce: "./module" }, known: undefined },
  ])("is looked up next to the stack only if the source begins with a dot: $source", (row) => {
    const stackFolder = dirname(moduleOf({ "v.tf": DECLARED }));
    mkdirSync(join(stackFolder, "registry"));
    const place = { stack: testStack(), stackFolder };
    expect(isEphemeralVariable(row.source, "api_token", place)).toBe(row.known);
  });

  test("keeps the warning if a file cannot be read, and does not wait for a file", () => {
    for (const spoil of [
      (path: string) => execFileSync("mkfifo", [path]),
      (path: string) => symlinkSync("/dev/zero", path),
      (path: string) => symlinkSync("nowhere", path),
    ]) {
      const folder = moduleOf({ "a.tf": DECLARED });
      spoil(join(folder, "b.tf"));
      expect(warningsFor(folder)).toEqual(NOT_CERTAIN);
    }
  });

  test.each(["/nowhere/at-all", "example/m/any", "git::https://example.test/m.git", "/dev/null"])(
    "keeps the warning if the module is %s",
    (source) => {
      expect(warningsFor(source)).toEqual(NOT_CERTAIN);
    },
  );
});

describe("the module is read where", () => {
  const stackWith = (context: Readonly<Record<string, unknown>>): TerraformStack =>
    new TerraformStack(Testing.app({ outdir: temporaryFolder(), context }), "stack");

  test("cdktf copies it from, next to the stack", () => {
    // cdktf reads whatever is in the folder that all local modules have in common.
    const modules = moduleOf({ "one/v.tf": DECLARED, "other/v.tf": 'variable "api_token" {}' });
    const source = `./${relative(process.cwd(), join(modules, "one"))}`;
    const other = `./${relative(process.cwd(), join(modules, "other"))}`;
    const context = { cdktfRelativeModules: [source, other] };
    // cdktf leaves its copy in the temporary folder.
    const tmpdir = jest.spyOn(os, "tmpdir").mockReturnValue(temporaryFolder());
    try {
      expect(warningsFor(source, { stack: stackWith(context) })).toEqual([]);
      expect(warningsFor(other, { stack: stackWith(context) })).toEqual(UNDECLARED);
      expect(tmpdir).toHaveBeenCalled();
    } finally {
      tmpdir.mockRestore();
    }
  });

  test("an asset of the program's own comes from", () => {
    const stack = testStack();
    const path = moduleOf({ "inner/v.tf": DECLARED });
    const asset = new TerraformAsset(stack, "copy", { path, type: AssetType.DIRECTORY });
    const more = { stack, skipAssetCreationFromLocalModules: true };
    expect(warningsFor(`./${asset.path}/inner`, more)).toEqual([]);
  });

  test.each(["./assets/copy", "./assets/other", "./assets/copy/../../elsewhere"])(
    "it is, next to an asset of the program's own that it is not in: %s",
    (source) => {
      const stack = testStack();
      const path = join(moduleOf({ "v.tf": DECLARED, "copied/v.tf": DECLARED }), "copied");
      const asset = new TerraformAsset(stack, "copy", { path, type: AssetType.DIRECTORY });
      expect(asset.path).toMatch(/^assets\/copy\/\w+\/?$/);
      const place = { stack, stackFolder: moduleOf({ "elsewhere/v.tf": DECLARED }) };
      const known = source.endsWith("elsewhere") ? true : undefined;
      expect(isEphemeralVariable(source, "api_token", place)).toBe(known);
    },
  );

  test("Terraform would look, from the stack's folder", () => {
    const outdir = temporaryFolder();
    const stack = new TerraformStack(Testing.app({ outdir }), "stack");
    mkdirSync(join(outdir, "stacks", "modules"), { recursive: true });
    writeFileSync(join(outdir, "stacks", "modules", "v.tf"), DECLARED);
    const more = { stack, skipAssetCreationFromLocalModules: true };
    expect(warningsFor("../modules", more)).toEqual([]);
  });

  test("an override of the source says", () => {
    const stack = testStack();
    const identity = identityIn(stack);
    const token = accountToken(stack, { identity }, "web");
    const module = new TerraformHclModule(stack, "m", {
      source: moduleOf({ "v.tf": DECLARED }),
      variables: { api_token: token.value },
    });
    module.addOverride("source", "example/m/any");
    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn")).toEqual(NOT_CERTAIN);
  });
});
