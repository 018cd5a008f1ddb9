/** The doctor on machines that the tests do not run on. */
import { chmodSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { onPlatform } from "../../support/platform";
import { only } from "./one-fault";
import { type Diagnosis, SetUp } from "./set-up";

let setUp: SetUp;
beforeEach(async () => {
  setUp = await SetUp.start();
});
afterEach(() => setUp.stop());

const on = (
  platform: NodeJS.Platform,
  arch: NodeJS.Architecture,
  vars: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<Diagnosis> => {
  const all = platform === "win32" ? { ...programsOfWindows(), ...vars } : vars;
  return onPlatform(platform, () => setUp.diagnose(args, { vars: all }), arch);
};

/** A program with the name that it has on Windows. */
const program = (path: string, command: string): void =>
  chmodSync(setUp.write(path, `#!/bin/sh\n${command}\n`), 0o755);

function programsOfWindows(): Record<string, string> {
  program("programs/node.exe", `exec ${process.execPath} "$@"`);
  if (!existsSync(join(setUp.scratch.folder, "programs/terraform.exe")))
    program("programs/terraform.exe", "echo Terraform v1.11.4");
  return { Path: `relative;C:;${dirname(setUp.write("programs/other", ""))}` };
}

test("finds no fault in a healthy project on Windows, whatever file modes Node.js invents there", async () => {
  chmodSync(join(setUp.folder, "password"), 0o666);
  const launcher = join(
    setUp.pluginFolder,
    "0.1.0/windows_amd64/terraform-provider-iam_v0.1.0.exe",
  );
  chmodSync(launcher, 0o644);
  const { faults, findings } = await on("win32", "x64");
  expect(faults).toEqual([]);
  const node = findings.find(({ check }) => check === "node");
  expect(node?.text).toContain("windows_amd64");
});

describe("on Windows no remedy names iam-tokens run or a command of a Unix shell:", () => {
  const remedyOf = async (check: string, vars: Record<string, string> = {}) => {
    const { faults } = await on("win32", "x64", vars, ["--only", check]);
    expect(faults).toHaveLength(1);
    return faults[0]?.remedy;
  };
  test("a provider that Terraform does not find", async () => {
    program(
      "programs/terraform.exe",
      "case $1 in version) echo Terraform v1.11.4 ;; *) exit 1 ;; esac",
    );
    expect(await remedyOf("init")).toMatch(/^Install the provider \(iam-tokens install DIR\)/);
  });

  test("a provider that has ended", async () => {
    const ended = {
      "registry.terraform.io/hashicorp/other": {},
      "npm.invalid/cdktf-iam-tokens/iam": {
        Protocol: "grpc",
        ProtocolVersion: 6,
        Pid: 1,
        Test: true,
        Addr: { Network: "unix", String: "/no-such-socket" },
      },
    };
    expect(await remedyOf("environment", { TF_REATTACH_PROVIDERS: JSON.stringify(ended) })).toBe(
      "Unset it: Remove-Item Env:TF_REATTACH_PROVIDERS.",
    );
  });
});

test.each<[platform: NodeJS.Platform, arch: NodeJS.Architecture, message: RegExp]>([
  [
    "freebsd",
    "x64",
    /not support freebsd_amd64\. .*linux_amd64.* -> Run Terraform with iam-tokens run/,
  ],
  [
    "linux",
    "ia32",
    /not support linux_386\. .*windows_amd64.* -> Run Terraform with iam-tokens run/,
  ],
  ["win32", "arm64", /not support windows_arm64\. .* -> Run the Terraform of windows_amd64,/],
])(
  "on %s %s it says that there is no provider, and lists the supported platforms",
  async (platform, arch, reported) => {
    expect(only(await on(platform, arch))).toMatch(reported);
  },
);
