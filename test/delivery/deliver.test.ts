import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { NullProvider } from "@cdktf/provider-null/lib/provider";
import { App, TerraformStack } from "cdktf";
import { EmbeddedProvider } from "../../lib/constructs/embedded-provider";
import { pluginFolder } from "../../lib/delivery/lay-out";
import { accountToken, annotationsOf } from "../constructs/support";
import { temporaryFolder } from "../support/temporary-folder";

/** Synthesizes stacks with a token, the provider alone, which it returns, and nothing of ours. */
function synthInto(outdir: string): TerraformStack {
  const app = new App({ outdir, stackTraces: false });
  const token = new TerraformStack(app, "token");
  accountToken(token);
  new NullProvider(token, "null");
  const provider = new TerraformStack(app, "provider");
  EmbeddedProvider.getOrCreate(provider);
  new TerraformStack(app, "plain");
  app.synth();
  return provider;
}

test("each stack with our constructs gets the provider and a lock entry; a file that is not a lock file stays, with a warning", () => {
  const outdir = temporaryFolder();
  synthInto(outdir);
  for (const id of ["token", "provider"]) {
    const folder = join(outdir, "stacks", id);
    const [version = ""] = readdirSync(pluginFolder(folder));
    // Of five platforms in two stacks.
    const linksOf = (file: string) => statSync(join(pluginFolder(folder), version, file)).nlink;
    expect(linksOf("linux_amd64/provider.cjs")).toBe(10);
    expect(linksOf(".gitattributes")).toBe(1);
    const lock = readFileSync(join(folder, ".terraform.lock.hcl"), "utf8");
    expect(lock).toMatch(
      /^provider "npm.invalid\/cdktf-iam-tokens\/iam" {(\n.*){3}(\n {4}"h1:.*){2}/m,
    );
    expect(lock.includes('provider "registry.terraform.io/hashicorp/null"')).toBe(id === "token");
  }
  expect(readdirSync(join(outdir, "stacks/plain"))).toEqual(["cdk.tf.json"]);

  const unreadable = join(outdir, "stacks/provider/.terraform.lock.hcl");
  writeFileSync(unreadable, "<<<<<<< ours\n");
  const provider = synthInto(outdir);
  expect(readFileSync(unreadable, "utf8")).toBe("<<<<<<< ours\n");
  expect(annotationsOf(provider)).toEqual([
    expect.stringMatching(/was not changed.*\[WARN_LOCK_FILE_UNREADABLE\]$/),
  ]);
});

test("a lock file that is a link is refused before anything is written: it would be written where it leads", () => {
  const outdir = temporaryFolder();
  const [elsewhere, folder] = [join(outdir, "profile"), join(outdir, "stacks/token")];
  writeFileSync(elsewhere, "# precious\n");
  mkdirSync(folder, { recursive: true });
  symlinkSync(elsewhere, join(folder, ".terraform.lock.hcl"));
  expect(() => synthInto(outdir)).toThrow(
    /\.terraform\.lock\.hcl is a link: .*\[ERR_WRITE_FAILED\]/,
  );
  expect(readFileSync(elsewhere, "utf8")).toBe("# precious\n");
  expect(readdirSync(folder)).not.toContain("terraform.d");
});
