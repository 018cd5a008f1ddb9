import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { packageRoot } from "../support/project";
import { testIf } from "../support/skips";

interface Step {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const steps: readonly Step[] = parse(
  readFileSync(join(packageRoot, ".github/workflows/release.yml"), "utf8"),
).jobs.registry.steps.filter(({ run }: Step) => run !== undefined);

/** In place of GitHub's: its clone is of a folder, and its releases are files. */
const GH = `#!/bin/sh
case "$1 $2" in
  "release view") test -e "$RELEASES/$3" ;;
  "release create") printf '%s\\n' "$@" >"$RELEASES/$3" ;;
  "repo clone") git clone --quiet "$ORIGIN" "$4" ;;
esac
`;

const here = ["gpg", "git", "bash", "sha256sum"].every(
  (name) => spawnSync(name, ["--version"]).status === 0,
);

let base: string;

beforeEach(() => {
  // gpg's agent listens in there: a short path.
  base = mkdtempSync(join(tmpdir(), "job-"));
});

afterEach(() => {
  spawnSync("gpgconf", ["--kill", "all"], {
    env: { ...process.env, GNUPGHOME: join(base, "gpg") },
  });
  rmSync(base, { recursive: true, force: true });
});

testIf(here, "gpg, git, bash or sha256sum is not here")(
  "the job for the provider's registries signs what was built, puts the pages in first, and when repeated changes nothing",
  () => {
    const folders = ["bin", "gpg", "owner", "releases", "work/packed/registry/docs"];
    for (const name of folders) mkdirSync(join(base, name), { recursive: true, mode: 0o700 });
    writeFileSync(join(base, "bin/gh"), GH, { mode: 0o755 });
    const origin = join(base, "origin");
    const environment = {
      ...{ PATH: `${join(base, "bin")}:${process.env.PATH}`, HOME: base },
      ...{ GNUPGHOME: join(base, "gpg"), ORIGIN: origin, RELEASES: join(base, "releases") },
      ...{ TAG: "v1.2.3", GH_REPO: "o/r", GH_TOKEN: "t", PASSPHRASE: "p w" },
      ...{ GIT_AUTHOR_NAME: "o", GIT_AUTHOR_EMAIL: "o@invalid" },
      ...{ GIT_COMMITTER_NAME: "o", GIT_COMMITTER_EMAIL: "o@invalid" },
    };
    const start = (program: string, args: readonly string[], cwd = base, more = {}) =>
      spawnSync(program, args, { cwd, encoding: "utf8", env: { ...environment, ...more } });
    const run = (...all: Parameters<typeof start>) => {
      const { status, stdout, stderr } = start(...all);
      if (status !== 0) throw new Error(`${all[0]} ${all[1]}: ${stderr}`);
      return stdout;
    };
    const owner = { GNUPGHOME: join(base, "owner") };
    const gpg = (...args: readonly string[]) =>
      run("gpg", ["--batch", "--pinentry-mode=loopback", "--passphrase=p w", ...args], base, owner);
    gpg("--quick-generate-key", "release@invalid", "rsa2048", "sign", "1d");
    const KEY = gpg("--armor", "--export-secret-keys");
    spawnSync("gpgconf", ["--kill", "all"], { env: { ...process.env, ...owner } });
    run("git", ["init", "--quiet", "--bare", origin]);
    run("git", ["clone", "--quiet", origin, "first"]);
    writeFileSync(join(base, "first/README.md"), "A provider.\n");
    run("git", ["add", "README.md"], join(base, "first"));
    run("git", ["commit", "--quiet", "--message", "x"], join(base, "first"));
    run("git", ["push", "--quiet", "origin", "HEAD"], join(base, "first"));

    const registry = join(base, "work/packed/registry");
    const name = "terraform-provider-iam_1.2.3";
    const content = "an archive";
    const sum = createHash("sha256").update(content).digest("hex");
    const archive = join(registry, `${name}_linux_amd64.zip`);
    writeFileSync(join(registry, `${name}_SHA256SUMS`), `${sum}  ${name}_linux_amd64.zip\n`);
    writeFileSync(join(registry, "docs/index.md"), "# A page\n");
    writeFileSync(join(base, "work/packed/notes.md"), "Notes.\n");
    const job = () => {
      for (const step of steps) {
        const args = ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run ?? ""];
        const { status, stderr } = start("bash", args, join(base, "work"), { KEY });
        if (status !== 0) return stderr;
      }
      return "done";
    };
    const count = () => run("git", ["rev-list", "--count", "--all"], origin).trim();

    // Another archive than the one that was built is not signed.
    writeFileSync(archive, "another");
    expect(job()).toContain("did NOT match");
    expect(existsSync(join(registry, `${name}_SHA256SUMS.sig`))).toBe(false);

    writeFileSync(archive, content);
    expect(job()).toBe("done");
    run("gpg", ["--verify", `${name}_SHA256SUMS.sig`, `${name}_SHA256SUMS`], registry);
    const head = run("git", ["rev-parse", "HEAD"], origin).trim();
    expect(run("git", ["show", `${head}:docs/index.md`], origin)).toBe("# A page\n");
    const release = readFileSync(join(base, "releases/v1.2.3"), "utf8");
    expect(release).toContain(`--target\n${head}\n`);
    for (const end of ["linux_amd64.zip", "SHA256SUMS", "SHA256SUMS.sig"])
      expect(release).toContain(`registry/${name}_${end}\n`);
    expect(release).not.toContain("docs");
    expect(count()).toBe("2");

    writeFileSync(join(registry, "docs/index.md"), "# Older\n");
    rmSync(join(base, "work/provider"), { recursive: true });
    expect(job()).toBe("done");
    expect(count()).toBe("2");
    expect(readFileSync(join(base, "releases/v1.2.3"), "utf8")).toBe(release);
  },
);
