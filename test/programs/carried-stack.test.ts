import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ServiceUserToken, TokenScope } from "../../lib";
import { iamTokens } from "../scenarios/run-support";
import { scenarios } from "../scenarios/scenario";
import { identityIn, StackOf } from "../scenarios/stacks";
import { testIf } from "../support/skips";

const hasProgram = (name: string) => spawnSync(name, ["--help"]).error === undefined;

/** The files below a folder, by their paths. */
function filesOf(folder: string): ReadonlyMap<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path)]),
  );
}

scenarios("a stack that was carried", (stage) => {
  const synthesized = () =>
    stage()
      .synth((app) => {
        new StackOf(app, "main", (stack) => {
          const identity = identityIn(stack, stage());
          new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
        });
      })
      .stackFolder("main");

  async function works(folder: string): Promise<void> {
    await stage().succeed(folder, ["init"], {});
    await stage().succeed(folder, ["plan"]);
    expect(stage().requests()).toBe(1);
  }

  testIf(hasProgram("git"), "no git")(
    "by Git, with core.autocrlf=true as on Windows, has the provider byte by byte",
    async () => {
      const folder = synthesized();
      const { scratch } = stage();
      const git = (cwd: string, ...args: readonly string[]) => {
        const env = { PATH: process.env.PATH, HOME: scratch.home, GIT_CONFIG_NOSYSTEM: "1" };
        const who = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
        const { status, stderr } = spawnSync("git", [...who, ...args], { cwd, env });
        if (status !== 0) throw new Error(String(stderr));
      };
      // A project may also ask for it by itself.
      writeFileSync(join(folder, ".gitattributes"), "* text eol=crlf\n");
      git(folder, "init", "-q");
      git(folder, "add", ".");
      git(folder, "commit", "-q", "-m", "stack");
      const clone = join(scratch.folder, "clone");
      git(scratch.folder, "clone", "-q", "-c", "core.autocrlf=true", folder, clone);
      const provider = (at: string) =>
        [...filesOf(join(at, "terraform.d"))].map(([name, content]) => [
          name,
          createHash("sha256").update(content).digest("hex"),
        ]);
      expect(provider(clone)).toEqual(provider(folder));
      expect(readFileSync(join(clone, ".terraform.lock.hcl"), "utf8")).toContain("\r\n");
      await works(clone);
    },
  );

  testIf(hasProgram("python3"), "no Python")(
    "by an archive that keeps no modes, works after the fix that doctor prints",
    async () => {
      const folder = synthesized();
      const { scratch } = stage();
      const [archive, unpacked] = ["artifact.zip", "unpacked"].map((name) =>
        join(scratch.folder, name),
      ) as [string, string];
      // Python's unpacks without the modes.
      for (const args of [
        ["-c", archive, "."],
        ["-e", archive, unpacked],
      ])
        expect(spawnSync("python3", ["-m", "zipfile", ...args], { cwd: folder }).status).toBe(0);
      await stage().succeed(unpacked, ["init"], {});
      const planned = await stage().terraform(unpacked, ["plan", "-no-color"]);
      expect(planned.text).toContain("permission denied");
      const env = stage().secrets;
      const { exitCode, stdout } = await iamTokens(["doctor", unpacked], { scratch, env });
      expect(exitCode).toBe(1);
      const [, advice = ""] =
        /^failed {2}init .*permission denied.*\n +-> (chmod \+x .*), or synthesize/m.exec(stdout) ??
        [];
      expect(advice).not.toBe("");
      expect(spawnSync("/bin/sh", ["-c", advice], { cwd: dirname(unpacked) }).status).toBe(0);
      await works(unpacked);
    },
  );
});
