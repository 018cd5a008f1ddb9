import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliCompressSync, deflateRawSync, deflateSync } from "node:zlib";
import fc from "fast-check";
import { type LeakReport, scanForLeaks } from "../../lib/testing";
import { fuzz, someOf } from "../support/fuzz";
import { testIf } from "../support/skips";

const CANARY = "canary-in-an-archive/&+";
const hasPrograms = ["zip", "tar", "python3"].every(
  (program) => spawnSync(program, ["--help"]).status === 0,
);

/** Python's zipfile: `out` is where it goes, `add` a list of names. */
const python = (body: string) => ({
  command: [
    "python3",
    "-c",
    `import io, os, sys, zipfile
out = sys.argv[1]
names = sorted(os.path.join(at, name) for at, folders, files in os.walk(".") for name in folders + files)
def into(file, method=zipfile.ZIP_DEFLATED, zip64=False):
    with zipfile.ZipFile(file, "w", method) as archive:
        for name in names:
            if os.path.isdir(name): archive.write(name)
            else:
                with archive.open(name, "w", force_zip64=zip64) as entry: entry.write(open(name, "rb").read())
${body}`,
  ],
});
const stream = (body: string) =>
  python(`class Stream(io.RawIOBase):
    all = b""
    def writable(self): return True
    def write(self, some): self.all += some; return len(some)
stream = Stream()
${body}
open(out, "wb").write(stream.all)`);
const CDKTF = join(dirname(require.resolve("cdktf")), "private/fs.js");

/** Programs that pack the working folder into the file that is their last argument. */
const PACKED: Readonly<Record<string, { readonly command: readonly string[] }>> = {
  "cdktf's archiver": { command: ["node", CDKTF, "."] },
  "Info-ZIP": { command: ["sh", "-c", 'zip -qr "$0" .'] },
  "Info-ZIP, stored": { command: ["sh", "-c", 'zip -q0r "$0" .'] },
  "Info-ZIP, as a stream": { command: ["sh", "-c", 'zip -qr - . | cat >"$0"'] },
  zipfile: python("into(out)"),
  "zipfile, stored": python("into(out, zipfile.ZIP_STORED)"),
  "zipfile, zip64": python("into(out, zip64=True)"),
  "zipfile, as a stream": stream("into(stream)"),
  "zipfile, behind a script": python(`with open(out, "wb") as file:
    file.write(b"#!/usr/bin/env python3\\n"); into(file)`),
  "zipfile, with a comment like a record": python(`into(out)
zipfile.ZipFile(out, "a").comment = b"PK\\x05\\x06" + b"\\x01" * 30`),
};
/** Not searched, but listed. */
const CLOSED: typeof PACKED = {
  "zipfile, as a stream of zip64": stream(
    "zipfile.ZIP64_LIMIT = 0; into(stream, zipfile.ZIP_STORED, zip64=True)",
  ),
  "zipfile, before another one": python(
    'into(out); other = io.BytesIO(); zipfile.ZipFile(other, "w").writestr("other", "x"); open(out, "ab").write(other.getvalue())',
  ),
  tar: { command: ["sh", "-c", 'tar cf "$0" .'] },
  "tar, pax": { command: ["sh", "-c", 'tar cf "$0" --format=pax .'] },
  "tar, twice": { command: ["sh", "-c", 'tar c . >"$0"; tar c . >>"$0"'] },
  "tar and gzip": { command: ["sh", "-c", 'tar czf "$0" .'] },
  "tar and zlib": python(
    'import zlib, tarfile; file = io.BytesIO(); tarfile.open(fileobj=file, mode="w").add("."); open(out, "wb").write(zlib.compress(file.getvalue()))',
  ),
  "Info-ZIP, zip64": { command: ["sh", "-c", 'zip -qr -fz "$0" .'] },
  "Info-ZIP, encrypted": { command: ["sh", "-c", 'zip -qr -P password "$0" .'] },
  "zipfile, bzip2": python("into(out, zipfile.ZIP_BZIP2)"),
  "zipfile, lzma": python("into(out, zipfile.ZIP_LZMA)"),
  "tar and xz": { command: ["sh", "-c", 'tar cJf "$0" .'] },
  "tar and bzip2": { command: ["sh", "-c", 'tar cjf "$0" .'] },
};

/** Packs a secret, layer by layer, and returns what a scan of the outermost archive says. */
function scanOf(layers: readonly Layer[]): LeakReport {
  const folder = mkdtempSync(join(tmpdir(), "iam-tokens-test-"));
  const at = join(folder, "archive.x");
  const inside = join(folder, "inside");
  try {
    // Packed small, whatever the program.
    writeFileSync(at, `${"harmless ".repeat(99)}${CANARY}`);
    for (const { program, members } of layers) {
      mkdirSync(inside);
      for (const { name, kind } of members) {
        if (kind === "folder") mkdirSync(join(inside, name));
        else writeFileSync(join(inside, name), kind === "empty" ? "" : name.repeat(99));
      }
      renameSync(at, join(inside, "SECRET"));
      const [command = "", ...args] = { ...PACKED, ...CLOSED }[program]?.command ?? [];
      execFileSync(command, [...args, at], { cwd: inside });
      rmSync(inside, { recursive: true });
    }
    return scanForLeaks({ canaries: { CANARY }, folders: [at] });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Layer {
  readonly program: string;
  readonly members: readonly { readonly name: string; readonly kind: string }[];
}

const member = fc.record({
  name: fc.stringMatching(/^[a-z]{1,9}$/),
  kind: fc.constantFrom("folder", "empty", "file"),
});
const members = fc.uniqueArray(member, { maxLength: 40, selector: ({ name }) => name });
const programs = Object.keys({ ...PACKED, ...CLOSED });
const program = fc.constantFrom(...programs);
/** Each program once, with the members of which archives have no bytes. */
const examples = someOf(programs).map((each): [Layer[]] => [
  [
    { program: "zipfile", members: [] },
    { program: each, members: ["empty", "folder"].map((kind) => ({ name: kind, kind })) },
  ],
]);

testIf(hasPrograms, "zip, tar or python3 is not here")(
  "a secret in an archive of any program, even in another one, is found, or the archive is listed",
  () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ program, members }), { minLength: 1, maxLength: 2 }),
        (layers) => {
          const { findings, notScanned, pieces } = scanOf(layers);
          if (layers.some(({ program }) => program in CLOSED)) {
            expect(notScanned).not.toEqual([]);
          } else {
            expect(notScanned).toEqual([]);
            const path = new RegExp(layers.map(() => "SECRET").join(".*"));
            expect(findings.filter(({ where }) => path.test(where))).not.toEqual([]);
          }
          // Twice, for two archives in one file; each with its own pieces.
          const most = layers.reduce((sum, { members }) => sum + members.length + 4, 4);
          expect(pieces).toBeLessThan(4 * most);
        },
      ),
      { ...fuzz(20 + programs.length), examples },
    );
  },
  60_000,
);

test.each([
  ["brotli", brotliCompressSync],
  ["zlib", deflateSync],
  ["deflate", deflateRawSync],
])("a stream of %s is listed", (format, pack) => {
  const text = pack(`${"harmless ".repeat(99)}${CANARY}`);
  expect(scanForLeaks({ canaries: { CANARY }, texts: { text } })).toMatchObject({
    findings: [],
    notScanned: [{ where: "text", reason: `cannot be unpacked: ${format}` }],
  });
});
