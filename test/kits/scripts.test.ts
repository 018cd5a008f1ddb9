import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";
import { temporaryFolder } from "../support/temporary-folder";

const KITS = join(packageRoot, "examples/rotation");

let folder: string;

/**
 * A folder of a program, with stand-ins for npx and Terraform that note what they are called with.
 */
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, "cdktf.out/stacks/production"), { recursive: true });
  mkdirSync(join(folder, "bin"));
  program("npx", 'echo "npx $*" >>"$JOURNAL"');
  program(
    "terraform",
    'echo "terraform $*" >>"$JOURNAL"\n[ "$1" != output ] || printf %s "$ROTATE_AT"\n[ "$1" != "$FAILS" ] || exit 1',
  );
});

function program(name: string, text: string): void {
  const file = join(folder, "bin", name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

function run(script: string, env: Readonly<Record<string, string>>) {
  const journal = join(folder, "journal");
  writeFileSync(journal, "");
  const PATH = `${join(folder, "bin")}:${process.env.PATH}`;
  const ended = spawnSync(join(KITS, script), [], {
    ...{ cwd: folder, encoding: "utf8", env: { PATH, JOURNAL: journal, FAILS: "", ...env } },
  });
  return { ...ended, calls: readFileSync(journal, "utf8").trimEnd().split("\n") };
}

const hoursAgo = (hours: number) =>
  new Date(Date.now() - hours * 3_600_000).toISOString().replace(/\.\d+Z$/, "Z");

describe("re-apply.sh", () => {
  const env = {
    STACK: "production",
    IAM_TOKENS_ALLOWED_AUTH_URLS: "https://a.test",
    SERVICE_USER_PASSWORD: "canary-1",
  };

  test("synthesizes, and applies with a lock timeout", () => {
    const { status, calls, output } = run("re-apply.sh", { ...env, LOCK_TIMEOUT: "7m" });
    expect([status, ...calls]).toEqual([
      0,
      "npx --no-install cdktf synth",
      "terraform init -input=false -lock-timeout=7m",
      "terraform apply -auto-approve -input=false -lock-timeout=7m",
    ]);
    expect(output.join()).not.toContain("canary-1");
  });

  test("taints what a run that failed has rotated, so that the next one pushes again; and nothing else", () => {
    const now = new Date(Date.now() + 60_000);
    const before = hoursAgo(1);
    const of = (type: string, name: string, attributes: object, more: object = {}) => ({
      ...{ mode: "managed", type, name, ...more },
      instances: [{ attributes, index_key: name === "many" ? "a b" : undefined }],
    });
    const resources = [
      of("iam_rotation", "pushed", { rotated_at: now }),
      of("iam_rotation", "many", { rotated_at: now }, { module: "module.m" }),
      of("iam_token", "kept", { issued_at: now }),
      of("iam_rotation", "old", { rotated_at: before }),
      of("iam_rotation", "healing", { rotated_at: now, pushed_fingerprint: "0123456789ab" }),
      of("iam_token", "revoking", { issued_at: now, revoke_on_destroy: true }),
      of("null_resource", "other", {}),
    ];
    writeFileSync(join(folder, "state"), JSON.stringify({ resources }));
    program(
      "terraform",
      `echo "terraform $*" >>"$JOURNAL"\n[ "$1" != state ] || cat "${join(folder, "state")}"\n[ "$1" != apply ]`,
    );
    const { status, calls } = run("re-apply.sh", env);
    expect(status).toBe(1);
    expect(calls.filter((call) => call.includes("taint"))).toEqual([
      "terraform taint -lock-timeout=10m iam_rotation.pushed",
      'terraform taint -lock-timeout=10m module.m.iam_rotation.many["a b"]',
      "terraform taint -lock-timeout=10m iam_token.kept",
    ]);
  });

  test.each(["STACK", "IAM_TOKENS_ALLOWED_AUTH_URLS"])("does nothing without %s", (name) => {
    const { status, stderr, calls } = run("re-apply.sh", { ...env, [name]: "" });
    expect(status).not.toBe(0);
    expect(stderr).toContain(`Set ${name}`);
    expect(calls).toEqual([""]);
  });

  test.each(["init", "apply"])("fails when terraform %s fails", (FAILS) => {
    expect(run("re-apply.sh", { ...env, FAILS }).status).not.toBe(0);
  });
});

describe("check-rotation.sh", () => {
  const check = (rotateAt: string, more: Readonly<Record<string, string>> = {}) =>
    run("check-rotation.sh", { STACK: "production", ROTATE_AT: rotateAt, ...more });

  test("synthesizes by the command line that CDK names", () => {
    expect(check(hoursAgo(-5)).calls[0]).toBe("npx --no-install cdktf synth");
    expect(check(hoursAgo(-5), { CDK: "cdktn" }).calls[0]).toBe("npx --no-install cdktn synth");
  });

  const NEXT = "The next rotation is due at ";
  const UNREADABLE = "rotate_at or GRACE_HOURS cannot be read";
  test.each<[when: string, time: string, status: number, says: string, grace?: string]>([
    ["in the future", hoursAgo(-5), 0, NEXT],
    ["within its grace", hoursAgo(6.9), 0, NEXT],
    ["within a longer grace", hoursAgo(20), 0, NEXT, "21"],
    ["overdue", hoursAgo(7.1), 1, "7.1 hours ago: scheduled runs have been missed"],
    ...["", "soon", "2026-01-01", "2026-01-01T00:00:00Z; rm -rf /"].map(
      (time): [string, string, number, string] => [JSON.stringify(time), time, 1, UNREADABLE],
    ),
  ])("a rotation that is %s", (_when, time, code, says, GRACE_HOURS = "") => {
    const { status, output } = check(time, { GRACE_HOURS });
    expect([status, output[code + 1]]).toEqual([code, expect.stringContaining(says)]);
  });

  test("asks about the tokens of the state if it should, and fails if one is not alive", () => {
    const more = { VERIFY: "1", AUTH_URL: "https://k.example" };
    const { calls, status } = check(hoursAgo(1), { ...more, CDK: "cdktn" });
    expect(calls.slice(2, 4).sort()).toEqual([
      "npx --no-install cdktn-iam-tokens verify --auth-url https://k.example",
      "terraform state pull",
    ]);
    expect(status).toBe(0);
    program("npx", '[ "$2" != cdktf-iam-tokens ] || exit 1');
    expect(check(hoursAgo(1), more).status).toBe(1);
  });

  test("checks another output, and an existing synthesis", () => {
    const { calls } = check(hoursAgo(1), { OUTPUT: "dns_rotate_at", SYNTH: "0" });
    expect(calls).toEqual(["terraform init -input=false", "terraform output -raw dns_rotate_at"]);
  });
});
