/** The doctor on machines that the tests do not run on. */
import { chmodSync } from "node:fs";
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
): Promise<Diagnosis> => onPlatform(platform, () => setUp.diagnose([], { vars }), arch);

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

test("on Windows the configuration of Terraform's command line is that of APPDATA", async () => {
  const block = "provider_installation {\n  direct {}\n}\n";
  setUp.write("home/.terraformrc", block);
  setUp.write("data/terraform.rc", block);
  const vars = { APPDATA: join(setUp.scratch.folder, "data") };
  expect(only(await on("win32", "x64", vars))).toMatch(
    /^cli-configuration cross: .*terraform\.rc /,
  );
});

test.each(["terraform.d", "HashiCorp/Terraform"])(
  "on Windows the provider may lie in %s of APPDATA, and nowhere else",
  async (folder) => {
    const vars = { APPDATA: join(setUp.scratch.folder, "data") };
    const plain = setUp.write(
      "plain/main.tf",
      'terraform {\n  required_providers {\n    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }\n  }\n}\n',
    );
    const provider = () =>
      onPlatform(
        "win32",
        () => setUp.diagnose(["--only", "provider-files", dirname(plain)], { vars }),
        "x64",
      );
    expect(only(await provider())).toMatch(
      /^provider-files warning: Terraform cannot find the provider/,
    );
    setUp.write(
      `data/${folder}/plugins/npm.invalid/cdktf-iam-tokens/iam/0.1.0/windows_amd64/x.exe`,
      "",
    );
    expect((await provider()).faults).toEqual([]);
  },
);

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
