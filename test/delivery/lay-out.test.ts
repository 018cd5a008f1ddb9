import fs, {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { layOutProvider, pluginFolder, putVersion } from "../../lib/delivery/lay-out";
import { thisPlatform } from "../../lib/delivery/platforms";
import type { ProviderFiles } from "../../lib/delivery/provider-files";
import { temporaryFolder } from "../support/temporary-folder";

const provider = (content = "provider", version = "0.1.0"): ProviderFiles => {
  const folder = (launcher: string, text: string) => ({
    h1: `h1:${text.trim()}${content}`,
    files: [
      { name: "provider.cjs", content: Buffer.from(content), mode: 0o644 },
      {
        name: `terraform-provider-iam_v${version}${launcher}`,
        content: Buffer.from(text),
        mode: 0o755,
      },
    ],
  });
  return { version, unix: folder("", "#!/bin/sh\n"), windows: folder(".exe", "MZ") };
};

let stack: string;
/** The folder of versions in it. */
let base: string;
beforeEach(() => {
  stack = temporaryFolder();
  base = pluginFolder(stack);
});

const layOut = (...given: Parameters<typeof provider>) => layOutProvider(stack, provider(...given));

const GOLDEN = `644 /0.1.0/.gitattributes # Terraform checks these files byte by byte: h1:#!/bin/shCONTENT h1:MZCONTENT
* binary
644 /0.1.0/darwin_amd64/provider.cjs CONTENT
755 /0.1.0/darwin_amd64/terraform-provider-iam_v0.1.0 #!/bin/sh
644 /0.1.0/darwin_arm64/provider.cjs CONTENT
755 /0.1.0/darwin_arm64/terraform-provider-iam_v0.1.0 #!/bin/sh
644 /0.1.0/linux_amd64/provider.cjs CONTENT
755 /0.1.0/linux_amd64/terraform-provider-iam_v0.1.0 #!/bin/sh
644 /0.1.0/linux_arm64/provider.cjs CONTENT
755 /0.1.0/linux_arm64/terraform-provider-iam_v0.1.0 #!/bin/sh
644 /0.1.0/windows_amd64/provider.cjs CONTENT
755 /0.1.0/windows_amd64/terraform-provider-iam_v0.1.0.exe MZ
`;

/** Expects that a folder of versions has exactly the files of this one, with their modes. */
function expectVersion(content = "provider", folder = base): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => !file.isDirectory())
    .map((file) => join(file.parentPath, file.name))
    .sort()
    .map((path) => {
      const mode = (lstatSync(path).mode & 0o777).toString(8);
      return `${mode} ${path.slice(folder.length)} ${readFileSync(path, "utf8").trim()}\n`;
    });
  expect(files.join("")).toBe(GOLDEN.replaceAll("CONTENT", content));
}

/** The next call of a function of the file system fails. */
const fails = (name: "linkSync" | "writeFileSync", code: string) =>
  jest.spyOn(fs, name).mockImplementationOnce((...[path]: unknown[]) => {
    throw Object.assign(new Error(), { code, syscall: "write", path });
  });

test("the provider is put where Terraform looks, for all platforms, whatever the umask is, and copied where it cannot be linked", () => {
  const umask = process.umask(0o077);
  fails("linkSync", "EPERM");
  try {
    layOut();
  } finally {
    process.umask(umask);
  }
  expect(base).toBe(join(stack, "terraform.d/plugins/npm.invalid/cdktf-iam-tokens/iam"));
  expectVersion();
});

test("a folder that another synthesis makes at the same time is no error; one that nobody can make is", () => {
  const { mkdirSync: make } = fs;
  jest.spyOn(fs, "mkdirSync").mockImplementationOnce((path) => {
    make(path);
    throw make(path);
  });
  layOut();
  expectVersion();
  expect(() => layOutProvider("/proc/none", provider())).toThrow(
    "/proc/none cannot be written: ENOENT (mkdir).",
  );
});

const PROGRAM = `${thisPlatform()}/provider.cjs`;

test.each<[string, "left" | "renewed", (version: string) => void]>([
  ["nothing changed", "left", () => undefined],
  // Terraform notices it, not synthesis.
  ["a content changed", "left", (at) => writeFileSync(join(at, PROGRAM), "PROVIDER")],
  ["a file was cut off", "renewed", (at) => writeFileSync(join(at, PROGRAM), "prov")],
  ["a file is missing", "renewed", (at) => rmSync(join(at, PROGRAM))],
  ["one of a Mac is missing", "renewed", (at) => rmSync(join(at, "darwin_arm64/provider.cjs"))],
  ["the stamp changed", "renewed", (at) => writeFileSync(join(at, ".gitattributes"), "* text")],
  [
    "the version's folder is a file",
    "renewed",
    (at) => {
      rmSync(at, { recursive: true });
      writeFileSync(at, "");
    },
  ],
])("a second time, when %s, it is %s", (_, expected, change) => {
  const folder = join(base, "0.1.0");
  layOut();
  const before = statSync(folder).ino;
  change(folder);
  layOut();
  // A new folder may get the number of the old one.
  if (expected === "left") expect(statSync(folder).ino).toBe(before);
  else expectVersion();
});

test("a mirror has the provider's own files, whatever was there under this version", () => {
  layOut();
  writeFileSync(join(base, "0.1.0", PROGRAM), "another");
  writeFileSync(join(base, "0.1.0", "more"), "");
  symlinkSync("nowhere", join(base, "0.1.0", "link"));
  mkdirSync(join(base, "0.0.9"));
  putVersion(base, provider());
  expect(readFileSync(join(base, "0.1.0", PROGRAM), "utf8")).not.toBe("another");
  expect(readdirSync(base)).toEqual(["0.0.9", "0.1.0"]);
  expect(readdirSync(join(base, "0.1.0"))).not.toContain("more");
});

test("removes other versions and leftovers of an interruption, but not what another synthesis is writing", () => {
  layOut("provider", "0.0.9");
  const [left, written] = [".staging-left", ".staging-written"].map((name) => join(base, name));
  for (const folder of [left, written]) mkdirSync(join(String(folder), "new"), { recursive: true });
  utimesSync(String(left), 0, 0);
  layOut();
  expect(readdirSync(base)).toEqual([".staging-written", "0.1.0"]);
});

const { renameSync: rename } = fs;
test.each<[string, string, () => void, before?: string, first?: typeof rename]>([
  ["has put the same there", "ENOTEMPTY", () => layOut()],
  ["has put another build there", "ENOTEMPTY", () => layOut("other")],
  ["has put another in place of the old one", "ENOTEMPTY", () => layOut("other"), "old", rename],
  [
    "has moved the old one",
    "ENOENT",
    () => renameSync(join(base, "0.1.0"), join(base, "moved")),
    "old",
  ],
])("goes on if another synthesis %s at the same moment: %s", (...row) => {
  const [, code, other, before, first] = row;
  if (before !== undefined) layOut(before);
  const errors: unknown[] = [];
  const renaming = jest.spyOn(fs, "renameSync");
  if (first) renaming.mockImplementationOnce(first);
  renaming.mockImplementationOnce((from, to) => {
    other();
    try {
      rename(from, to);
    } catch (error) {
      errors.push((error as NodeJS.ErrnoException).code);
      throw error;
    }
  });
  layOut();
  expectVersion();
  expect(errors).toEqual([code]);
});

test.each(["terraform.d", "terraform.d/plugins/npm.invalid/cdktf-iam-tokens/iam", "0.1.0"])(
  "refuses a link in place of %s, and changes nothing where it leads",
  (name) => {
    const elsewhere = temporaryFolder();
    const link = name === "0.1.0" ? join(base, name) : join(stack, name);
    const theirs = join(elsewhere, base.slice(link.length), "0.0.9/theirs");
    mkdirSync(join(theirs, ".."), { recursive: true });
    writeFileSync(theirs, "precious");
    mkdirSync(join(link, ".."), { recursive: true });
    symlinkSync(elsewhere, link);
    const before = readdirSync(elsewhere, { recursive: true });
    expect(layOut).toThrow(
      `${link} is a link: nothing is written or removed where it leads. Remove the link`,
    );
    expect(readdirSync(elsewhere, { recursive: true })).toEqual(before);
  },
);

test("a full disk leaves the existing files, and reports path and error", () => {
  layOut("before");
  fails("writeFileSync", "ENOSPC");
  expect(() => layOut("after")).toThrow(
    /provider\.cjs cannot be written: ENOSPC \(write\).*\[ERR_WRITE_FAILED\]/,
  );
  expectVersion("before");
  expect(readdirSync(base)).toEqual(["0.1.0"]);
});
