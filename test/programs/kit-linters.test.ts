import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KITS } from "../kits/kits";
import { type KitLinterName, kitLinter } from "../support/kit-linters";
import { packageRoot } from "../support/project";
import { testIf } from "../support/skips";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "iam-kits-"));
  cpSync(KITS, folder, { recursive: true });
  // This repository's own, which no machine here can run.
  cpSync(join(packageRoot, ".github"), join(folder, "own/.github"), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env.PATH, NO_COLOR: "1" },
  });
  return { status, output: `${stdout}${stderr}` };
}

/** Checks that a linter accepts a file, and refuses it with a mistake in it. */
function lints(
  linter: KitLinterName,
  args: readonly string[],
  file: string,
  right: string,
  wrong: string,
): void {
  testIf(
    kitLinter(linter) !== null,
    `${linter} is not built: tsx test/support/prepare.ts kit-linters`,
  )(
    `${linter} accepts ${file}, and would see a mistake`,
    () => {
      const program = kitLinter(linter) ?? "";
      expect(run(program, [...args, file])).toMatchObject({ status: 0 });
      const text = readFileSync(join(folder, file), "utf8");
      expect(text).toContain(right);
      const broken = join("broken", file);
      mkdirSync(join(folder, broken, ".."), { recursive: true });
      writeFileSync(join(folder, broken), text.replace(right, wrong));
      expect(run(program, [...args, broken])).toMatchObject({ status: 1 });
    },
    60_000,
  );
}

const GITHUB = "github-actions/.github/workflows";
for (const name of ["re-apply", "check-rotation"]) {
  lints(
    "actionlint",
    ["-shellcheck=", "-pyflakes="],
    `${GITHUB}/${name}.yml`,
    "runs-on: ubuntu-24.04",
    "runs-on: ubuntu-1.04",
  );
  lints(
    "check-jsonschema",
    ["--builtin-schema", "vendor.github-workflows"],
    `${GITHUB}/${name}.yml`,
    "timeout-minutes:",
    "timeout-hours:",
  );
  lints(
    "kubectl-validate",
    ["--version", "1.30"],
    `kubernetes/${name}.yaml`,
    "concurrencyPolicy:",
    "concurrency:",
  );
}
lints(
  "check-jsonschema",
  ["--builtin-schema", "vendor.gitlab-ci"],
  "gitlab-ci/.gitlab-ci.yml",
  "resource_group: production",
  "resource_group: [1]",
);

const OWN = "own/.github/workflows/platforms.yml";
lints("actionlint", ["-shellcheck=", "-pyflakes="], OWN, "macos-15,", "macos-1.5,");
lints(
  "check-jsonschema",
  ["--builtin-schema", "vendor.github-workflows"],
  OWN,
  "timeout-minutes:",
  "timeout-hours:",
);

const RELEASE = "own/.github/workflows/release.yml";
lints("actionlint", ["-shellcheck=", "-pyflakes="], RELEASE, "needs: build", "needs: built");
lints(
  "check-jsonschema",
  ["--builtin-schema", "vendor.github-workflows"],
  RELEASE,
  "id-token: write",
  "id-token: writes",
);

const analyze = spawnSync("systemd-analyze", ["--version"]).status === 0;

testIf(analyze, "no systemd-analyze")(
  "systemd-analyze accepts the units, and would see a mistake",
  () => {
    const units = join(folder, "units");
    mkdirSync(units);
    for (const name of readdirSync(join(folder, "systemd"))) {
      // It looks whether the programs are there.
      const text = readFileSync(join(folder, "systemd", name), "utf8").replaceAll(
        "/srv/infrastructure",
        folder,
      );
      writeFileSync(join(units, name), text.replace(/^User=.*$/m, "User=root"));
    }
    // Of a template an instance.
    const names = readdirSync(units).map((name) =>
      join(units, name.replace("@", "@re-apply.service")),
    );
    cpSync(
      join(units, "re-apply-failed@.service"),
      join(units, "re-apply-failed@re-apply.service.service"),
    );
    /** It loads this machine's units as well, which have mistakes of their own. */
    const verify = () => {
      const args = ["verify", "--man=no", "--generators=no", ...names];
      const { status, output } = run("systemd-analyze", args);
      const lines = output.split("\n").filter((line) => line.includes("re-apply"));
      return { status, output: lines.join("\n") };
    };
    expect(verify()).toEqual({ status: 0, output: "" });
    const timer = join(units, "re-apply.timer");
    writeFileSync(timer, readFileSync(timer, "utf8").replace("0/6:17:00", "0/6:77:00"));
    expect(verify().output).toContain("Failed to parse calendar specification");
  },
);

testIf(analyze, "no systemd-analyze")("the timer fires every six hours, in UTC", () => {
  const calendar =
    /^OnCalendar=(.*)$/m.exec(readFileSync(join(KITS, "systemd/re-apply.timer"), "utf8"))?.[1] ??
    "";
  const { output } = run("systemd-analyze", [
    "calendar",
    "--iterations=5",
    "--base-time=2026-01-01 00:00:00 UTC",
    calendar,
  ]);
  const times = [...output.matchAll(/(\d\d:\d\d):00 UTC/g)].map(([, time]) => time);
  expect([...new Set(times)].sort()).toEqual(["00:17", "06:17", "12:17", "18:17"]);
});
