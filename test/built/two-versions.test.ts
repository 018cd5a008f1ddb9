import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";
import { useScratch } from "../support/scratch";

/** A program with a library that brings another version of this package. */
const PROGRAM = `
const { App, TerraformStack } = require("cdktf");
const [identity, token, tokenStack] = process.argv.slice(2);
const library = require("library/node_modules/cdktf-iam-tokens");
const by = { own: require("cdktf-iam-tokens"), library };
const app = new App();
const stack = new TerraformStack(app, "first");
const other = new TerraformStack(app, "other");
const identityIn = (scope, { IdentityService, SecretRef }) => new IdentityService(scope, "i", {
  authUrl: "https://cloud.api.example.com",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("PASSWORD") },
});
const first = identityIn(stack, by[identity]);
const { ServiceUserToken, TokenScope } = by[token];
const scope = TokenScope.account();
if (tokenStack === "other") new ServiceUserToken(other, "t", { identity: identityIn(other, by[token]), scope });
else new ServiceUserToken(stack, "t", { identity: first, scope });
`;

const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));

describe("two versions of the package in one program", () => {
  const scratch = useScratch();

  beforeEach(() => {
    const modules = join(scratch.folder, "node_modules");
    const inLibrary = join(modules, "library/node_modules/cdktf-iam-tokens");
    for (const name of ["cdktf", "constructs"]) {
      mkdirSync(modules, { recursive: true });
      symlinkSync(join(packageRoot, "node_modules", name), join(modules, name));
    }
    for (const [folder, its] of [
      [join(modules, "cdktf-iam-tokens"), version],
      [inLibrary, "0.0.9"],
    ]) {
      cpSync(join(packageRoot, "dist/index.js"), join(folder, "dist/index.js"));
      writeFileSync(
        join(folder, "package.json"),
        JSON.stringify({ name: "cdktf-iam-tokens", version: its, main: "dist/index.js" }),
      );
    }
    writeFileSync(join(scratch.folder, "main.js"), PROGRAM);
  });

  const run = (...args: string[]) =>
    spawnSync(process.execPath, ["main.js", ...args], {
      cwd: scratch.folder,
      env: scratch.env,
      encoding: "utf8",
    });

  test.each([
    ["library", "own", "0.0.9", version],
    ["own", "library", version, "0.0.9"],
  ])("are refused in one stack: an identity service by %s, a token by %s", (its, ours, a, b) => {
    const { status, stderr } = run(its, ours, "first");
    expect(stderr).toContain(
      `The stack first has constructs of cdktf-iam-tokens ${a}, and the program declares more of it by ${b}. ` +
        "Use one version in the stack: npm ls cdktf-iam-tokens names the packages that need each. [ERR_VERSION_MISMATCH]",
    );
    expect(status).toBe(1);
  });

  test.each([
    ["own", "library", "other"],
    ["own", "own", "first"],
    ["library", "library", "first"],
  ])("may each have a stack: %s, %s, %s", (...args) => {
    expect(run(...args)).toMatchObject({ status: 0, stderr: "" });
  });
});
