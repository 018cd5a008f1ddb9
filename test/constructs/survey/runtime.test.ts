import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Testing } from "cdktf";
import { ServiceUserToken, TokenResolution, TokenScope } from "../../../lib";
import { identityIn, jsonOf, mistakesOf, temporaryFolder, testStack } from "../support";

const before = { ...process.env };

afterEach(() => {
  for (const name of ["TERRAFORM_BINARY_NAME", "SYNTH_HCL_OUTPUT"]) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
});

/** A program that answers as Terraform or OpenTofu would, and writes down what it was given. */
function binaryThatSays(text: string): { readonly log: string } {
  const folder = temporaryFolder();
  const file = join(folder, "terraform-for-test");
  const log = join(folder, "log");
  writeFileSync(
    file,
    `#!/bin/sh\necho "$@" >> '${log}'\nenv >> '${log}'\ncat <<'END'\n${text}\nEND\n`,
  );
  chmodSync(file, 0o755);
  process.env.TERRAFORM_BINARY_NAME = file;
  return { log };
}

function stackWith(resolution: TokenResolution) {
  const stack = testStack();
  const identity = identityIn(stack);
  for (const id of ["a", "b", "c"])
    new ServiceUserToken(stack, id, { identity, scope: TokenScope.account(), resolution });
  return stack;
}

test.each([
  ["Terraform v1.9.8\non linux_amd64", "Terraform 1.9.8"],
  ["OpenTofu v1.10.7\non linux_amd64", "OpenTofu 1.10.7"],
  ["Terraform v0.15.0", "Terraform 0.15.0"],
])("%j has no ephemeral resources: told once, with the way out", (text, named) => {
  binaryThatSays(text);
  const mistakes = mistakesOf(stackWith(TokenResolution.EPHEMERAL));
  expect(mistakes).toEqual([
    expect.stringMatching(
      /^\[stack\/a\] This token and 2 more are ephemeral.*resolution: data.*\[ERR_TERRAFORM_TOO_OLD\]$/,
    ),
  ]);
  expect(mistakes.join()).toContain(named);
});

test.each([
  "Terraform v1.10.0",
  "Terraform v1.11.4\nYour version of Terraform is out of date!",
  "OpenTofu v1.11.0-rc1",
  "Terraform v2.0.0",
])("%j has them", (text) => {
  binaryThatSays(text);
  expect(mistakesOf(stackWith(TokenResolution.EPHEMERAL))).toEqual([]);
});

test("an old Terraform is no obstacle for data tokens", () => {
  binaryThatSays("Terraform v1.5.7");
  expect(mistakesOf(stackWith(TokenResolution.DATA))).toEqual([]);
});

test("no binary, or one that does not tell, says nothing", () => {
  process.env.TERRAFORM_BINARY_NAME = "/no/such/terraform";
  expect(mistakesOf(stackWith(TokenResolution.EPHEMERAL))).toEqual([]);
  binaryThatSays("something else");
  expect(mistakesOf(stackWith(TokenResolution.EPHEMERAL))).toEqual([]);
});

test("the output does not depend on the binary", () => {
  binaryThatSays("Terraform v1.9.8");
  const old = jsonOf(stackWith(TokenResolution.EPHEMERAL));
  binaryThatSays("Terraform v1.11.4");
  expect(jsonOf(stackWith(TokenResolution.EPHEMERAL))).toEqual(old);
});

test("the binary is asked once, and is not handed the pipeline's secrets", () => {
  const { log } = binaryThatSays("Terraform v1.11.4");
  process.env.SERVICE_USER_PASSWORD = "canary-of-the-environment";
  process.env.UNSUSPICIOUS_NAME = "canary-of-the-environment";
  process.env.TENV_GITHUB_TOKEN = "canary-of-the-environment";
  try {
    for (let i = 0; i < 3; i++) mistakesOf(stackWith(TokenResolution.EPHEMERAL));
  } finally {
    delete process.env.SERVICE_USER_PASSWORD;
    delete process.env.UNSUSPICIOUS_NAME;
    delete process.env.TENV_GITHUB_TOKEN;
  }
  const given = readFileSync(log, "utf8");
  expect(given.match(/^version$/gm)).toHaveLength(1);
  expect(given).toContain("CHECKPOINT_DISABLE=1");
  expect(given).not.toContain("canary-of-the-environment");
});

describe("HCL output", () => {
  test("with an ephemeral token is refused", () => {
    process.env.SYNTH_HCL_OUTPUT = "true";
    expect(mistakesOf(stackWith(TokenResolution.EPHEMERAL))).toEqual([
      expect.stringMatching(/^\[stack\/a\] .*\[ERR_HCL_OUTPUT\]$/),
    ]);
  });

  test("with an ephemeral token never drops it, even with validations skipped", () => {
    expect(() => Testing.synthHcl(stackWith(TokenResolution.EPHEMERAL))).toThrow(
      expect.objectContaining({ code: "ERR_HCL_OUTPUT" }),
    );
  });

  test("with data tokens works", () => {
    process.env.SYNTH_HCL_OUTPUT = "true";
    const stack = stackWith(TokenResolution.DATA);
    expect(mistakesOf(stack)).toEqual([]);
    const hcl = Testing.synthHcl(stack);
    expect(hcl).toMatch(/data "iam_token" "a" \{\s+provider = "iam\.identity"\s+scope = "account"/);
    expect(hcl).toMatch(/account_id = "123456"/);
  });
});
