import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageVersion } from "../../../lib/delivery/package-root";
import { SetUp } from "./set-up";

// Whatever is in a file's place: doctor must not wait for it, nor read it without an end.
let setUp: SetUp;
beforeEach(async () => {
  setUp = await SetUp.start();
});
afterEach(() => setUp.stop());

const PROVIDER = `terraform.d/plugins/npm.invalid/cdktf-iam-tokens/iam/${packageVersion()}`;
const STACK = "cdktf.out/stacks/web";

/** The file, the check that says it, and how it begins. */
const FILES = [
  { file: "cdktf.json", check: "project", about: "cdktf.json" },
  { file: `${STACK}/x.tf`, check: "project", about: "web/x.tf" },
  { file: `${STACK}/cdk.tf.json`, check: "project", about: "web/cdk.tf.json" },
  {
    file: `${STACK}/.terraform.lock.hcl`,
    check: "lock-files",
    about: 'The lock file of the stack "web"',
  },
  {
    file: `${STACK}/iam-tokens.auto.tfvars.json`,
    check: "value-files",
    about: "iam-tokens.auto.tfvars.json",
  },
  {
    file: `${STACK}/${PROVIDER}/linux_${process.arch === "x64" ? "amd64" : "arm64"}/provider.cjs`,
    check: "provider-files",
    about: 'The provider in the folder of the stack "web"',
  },
];

const THINGS = [
  { what: "a FIFO", make: (path: string) => execFileSync("mkfifo", [path]), said: "is a FIFO" },
  {
    what: "a link to /dev/zero",
    make: (path: string) => symlinkSync("/dev/zero", path),
    said: "is a device",
  },
  { what: "a folder", make: (path: string) => mkdirSync(path), said: "is a directory" },
];

const CASES = FILES.flatMap((file) => THINGS.map((thing) => ({ ...file, ...thing })));

test.each(CASES)(
  "$check reports $what in the place of $file",
  async ({ file, check, about, make, said }) => {
    const path = join(setUp.folder, file);
    rmSync(path, { force: true });
    mkdirSync(dirname(path), { recursive: true });
    make(path);
    const { faults } = await setUp.diagnose(["--only", check]);
    const reason =
      check === "value-files"
        ? "is not a regular file"
        : check === "provider-files"
          ? "has this package's version but different contents"
          : said;
    expect(faults).toEqual([
      expect.objectContaining({ check, status: "failed", remedy: expect.stringMatching(/\S/) }),
    ]);
    expect(faults[0]?.text).toContain(about);
    expect(faults[0]?.text).toContain(reason);
  },
  10_000,
);

test.each(THINGS.slice(0, 2))(
  "Terraform is not run with $what for a lock file",
  async ({ make }) => {
    const path = join(setUp.stackFolder, ".terraform.lock.hcl");
    rmSync(path, { force: true });
    make(path);
    const { faults, findings } = await setUp.diagnose(["--only", "terraform,init"]);
    expect(faults).toEqual([expect.objectContaining({ check: "terraform", status: "failed" })]);
    expect(faults[0]?.text).toContain(" was not run: ");
    // A long path is cut.
    expect(faults[0]?.text).toContain(path.slice(0, 40));
    expect(findings[1]).toMatchObject({ check: "init", status: "skipped" });
  },
);
