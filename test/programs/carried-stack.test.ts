import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { iamTokens, scenarios, webToken } from "../scenarios/world";
import { testIf } from "../support/skips";

const hasProgram = (name: string) => spawnSync(name, ["--help"]).error === undefined;

/** The files of the provider in a stack's folder, by their paths. */
function providerIn(folder: string): Record<string, string> {
  const base = join(folder, "terraform.d");
  const paths = readdirSync(base, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    paths.map((path) => [path.slice(base.length), readFileSync(path, "base64")]),
  );
}

scenarios("a stack that was carried", (stage) => {
  const synthesized = () => stage().stack((stack) => void webToken(stack, stage()));
  /** Runs a program to its successful end. */
  const run = (cwd: string, program: string, ...args: readonly string[]) => {
    const env = { PATH: process.env.PATH, HOME: stage().scratch.home, GIT_CONFIG_NOSYSTEM: "1" };
    const { status, stderr } = spawnSync(program, args, { cwd, env, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, expect.anything()]);
  };

  async function works(folder: string): Promise<void> {
    await stage().succeed(folder, ["init"], {});
    await stage().succeed(folder, ["plan"]);
    expect(stage().requests()).toBe(1);
  }

  testIf(hasProgram("git"), "no git")(
    "by Git, with core.autocrlf=true as on Windows, has the provider byte by byte",
    async () => {
      const folder = synthesized();
      const clone = join(stage().scratch.folder, "clone");
      const who = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
      // A project may also ask for it by itself.
      writeFileSync(join(folder, ".gitattributes"), "* text eol=crlf\n");
      run(folder, "git", "init", "-q");
      run(folder, "git", "add", ".");
      run(folder, "git", ...who, "commit", "-q", "-m", "stack");
      run(folder, "git", "clone", "-q", "-c", "core.autocrlf=true", ".", clone);
      expect(providerIn(clone)).toEqual(providerIn(folder));
      expect(readFileSync(join(clone, ".terraform.lock.hcl"), "utf8")).toContain("\r\n");
      await works(clone);
    },
  );

  testIf(hasProgram("python3"), "no Python")(
    "by an archive that keeps no modes, works after the fix that doctor prints",
    async () => {
      const { scratch, secrets: env } = stage();
      const [archive, unpacked] = ["artifact.zip", "unpacked"].map((name) =>
        join(scratch.folder, name),
      ) as [string, string];
      // Python's unpacks without the modes.
      run(synthesized(), "python3", "-m", "zipfile", "-c", archive, ".");
      run(scratch.folder, "python3", "-m", "zipfile", "-e", archive, unpacked);
      await stage().terraform(unpacked, "init", env);
      const { exitCode, stdout } = await iamTokens(["doctor", unpacked], { scratch, env });
      const [, advice = ""] =
        /^stack .*permission denied.*\n +-> In the stack's folder: (chmod \+x .*); or /m.exec(
          stdout,
        ) ?? [];
      expect([exitCode, advice]).toEqual([1, expect.stringContaining("chmod")]);
      run(unpacked, "/bin/sh", "-c", advice);
      await works(unpacked);
    },
  );
});
