import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  linkSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { deflateRawSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { scanForLeaks } from "../../lib/testing";
import { anyCharacter, fuzz } from "../support/fuzz";
import { temporaryFolder } from "../support/temporary-folder";

/**
 * With a character for every rule of escaping: a quote, a backslash, an ampersand, a slash, a
 * space, and others than ASCII.
 */
const CANARY = 'canary+"q\\&/ <ü密🔑>~end';
const canaries = { password: CANARY };

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** The findings in a string; checks that the report itself does not contain the canary. */
function encodingsIn(text: string | Uint8Array): readonly string[] {
  const report = scanForLeaks({ canaries, texts: { text } });
  expect(JSON.stringify(report)).not.toContain("canary+");
  expect(report.notScanned).toEqual([]);
  return report.findings.map(({ encoding }) => encoding);
}

const asciiOnly = (json: string) =>
  json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const goHtml = (json: string) =>
  json.replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026");
const NAMED: Record<string, string> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot" };
const escapedInXml = (text: string) => text.replace(/[&<>"]/g, (sign) => `&${NAMED[sign]};`);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const folded = (base64: string, width: number, by: string) =>
  base64.match(new RegExp(`.{1,${width}}`, "g"))?.join(by) ?? "";

describe("a secret is found in each form", () => {
  test.each(["bash", "dash", "busybox sh"])("that %s prints with set -x, also in JSON", (shell) => {
    const password = "'canary''s quotes \\ '";
    const env = { PATH: process.env.PATH, P: password };
    const args = ["-c", `${shell} -c 'set -x; : "$P"' 2>&1`];
    const { status, stdout } = spawnSync("sh", args, { env, encoding: "utf8" });
    // Where it is not here.
    if (status === 127) return;
    const texts = { stdout, json: JSON.stringify([stdout]) };
    const { findings, notScanned } = scanForLeaks({ canaries: { password }, texts });
    expect([findings.map(({ where }) => where), notScanned]).toEqual([["stdout", "json"], []]);
  });

  const around = (text: string) => `before ${text} behind`;
  const bytes = Buffer.from(CANARY);
  test("of files and answers", () => {
    const forms: readonly (readonly [string, string | Buffer])[] = [
      ["plain", around(CANARY)],
      ["base64", around(base64(CANARY))],
      // At each alignment, by the property below as well.
      ["base64", base64(around(CANARY))],
      ["base64", folded(base64(around(CANARY)), 8, "\n")],
      ["base64", folded(base64(around(CANARY)), 9, "\r\n")],
      ["base64", JSON.stringify(folded(base64(around(CANARY)), 10, "\n"))],
      ["url-encoded", `https://h/?q=${encodeURIComponent(CANARY)}`],
      ["url-encoded", new URLSearchParams({ q: CANARY }).toString()],
      // In lower case, each byte.
      ["url-encoded", [...bytes].map((byte) => `%${byte.toString(16)}`).join("")],
      ["json-escaped", JSON.stringify({ password: CANARY })],
      ["json-escaped", asciiOnly(goHtml(JSON.stringify({ password: CANARY })))],
      ["json-escaped", JSON.stringify(CANARY).replaceAll("/", "\\/")],
      [
        "json-escaped",
        goHtml(JSON.stringify({ body: goHtml(JSON.stringify({ password: CANARY })) })),
      ],
      ["xml-escaped", `<failure>${escapedInXml(CANARY)}</failure>`],
      ["xml-escaped", escapedInXml(escapedInXml(CANARY))],
      ["xml-escaped", CANARY.replace(/[^a-z]/gu, (sign) => `&#${sign.codePointAt(0)};`)],
      ["xml-escaped", CANARY.replace(/[^a-z]/gu, (s) => `&#x0${s.codePointAt(0)?.toString(16)};`)],
      ["hex", bytes.toString("hex")],
      ["utf-16le", Buffer.from(around(CANARY), "utf16le")],
    ];
    for (const [encoding, text] of forms)
      expect([encoding, encodingsIn(text)]).toEqual([encoding, expect.arrayContaining([encoding])]);
  });

  test("base64url, where it differs from base64", () => {
    const value = "\u00ff\u00fe>>>???~~~canary";
    const text = Buffer.from(value).toString("base64url");
    expect(text).toMatch(/[-_]/);
    const { findings } = scanForLeaks({ canaries: { value }, texts: { text } });
    expect(findings.map(({ encoding }) => encoding)).toEqual(["base64url"]);
  });

  test("any secret at any place in any base64 text", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.string({ minLength: 8, unit: anyCharacter }),
        fc.uint8Array(),
        (head, value, tail) => {
          const text = Buffer.concat([head, Buffer.from(value), tail]).toString("base64");
          expect(scanForLeaks({ canaries: { value }, texts: { text } }).findings).not.toEqual([]);
        },
      ),
      fuzz(300),
    );
  });

  const content = Buffer.from(`some text, then ${CANARY}`);
  const plain = { content: Buffer.from("nothing here") };
  test.each<[string, string | Buffer]>([
    ["gzip", gzipSync(content)],
    ["the second of two gzips", Buffer.concat([gzipSync(plain.content), gzipSync(content)])],
    ["a gzip that is cut off", gzipSync([content, Buffer.alloc(99_999)].join()).subarray(0, -20)],
    ["a zip", writeZip([{ content }])],
    ["a stored file", writeZip([plain, { content, method: 0 }])],
    ["sizes behind the data", writeZip([{ content, flags: 8 }])],
    ["one in the other", gzipSync(writeZip([{ content: gzipSync(content) }]))],
  ])("%s", (_, packed) => {
    expect(encodingsIn(packed)).toContain("plain");
  });
});

describe("finds nothing in clean data", () => {
  test.each<[string, string | Buffer]>([
    ["an empty text", ""],
    ["half of the secret", CANARY.slice(0, -1)],
    ["another case", CANARY.toUpperCase()],
    ["base64 of half of it", base64(CANARY.slice(0, 12))],
    ["a zip without it", writeZip([{ content: Buffer.from("nothing") }])],
  ])("%s", (_what, text) => {
    expect(encodingsIn(text)).toEqual([]);
  });

  test("a megabyte of noise", () => {
    const noise = Buffer.alloc(1_000_000);
    let state = 1;
    for (let at = 0; at < noise.length; at += 1) {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      noise[at] = state >> 16;
    }
    expect(encodingsIn(noise)).toEqual([]);
  });
});

describe("reports where it could not search", () => {
  const content = Buffer.from(CANARY);
  test.each([
    [
      "a gzip with wrong bytes",
      Buffer.concat([
        gzipSync(content).subarray(0, 10),
        Buffer.from([0xff, 0xff, 0xff]),
        content.subarray(0, 9),
      ]),
      /that is damaged/,
    ],
    ["a zip that is cut off", writeZip([{ content }]).subarray(0, -30), /that is damaged/],
    [
      "a zip before another one",
      Buffer.concat([writeZip([{ content }]), writeZip([{ content: Buffer.from("x") }])]),
      /that is damaged/,
    ],
    ["an encrypted entry", writeZip([{ content, flags: 1 }]), /that is damaged/],
    ["another compression", writeZip([{ content, method: 93 }]), /that is damaged/],
    ["a damaged entry", writeZip([{ content }]).fill(0xff, 31, 39), /that is damaged/],
  ])("%s", (_what, text, reason) => {
    expect(scanForLeaks({ canaries, texts: { text } }).notScanned).toEqual([
      { where: expect.any(String), reason: expect.stringMatching(reason) },
    ]);
  });

  test("a string that is packed again and again", () => {
    let text = gzipSync(content);
    for (let time = 0; time < 5; time += 1) text = gzipSync(text);
    expect(scanForLeaks({ canaries, texts: { text } }).notScanned).toMatchObject([
      { reason: "packed more than 4 times" },
    ]);
  });

  test("a pipe, a file that is too large, a missing folder", () => {
    execFileSync("mkfifo", [join(folder, "pipe")]);
    writeFileSync(join(folder, "huge"), "");
    truncateSync(join(folder, "huge"), 300 * 1024 * 1024);
    const { notScanned } = scanForLeaks({ canaries, folders: [folder, join(folder, "no-such")] });
    expect(notScanned.map(({ reason }) => reason)).toEqual([
      "larger than 268435456 bytes",
      "not a regular file",
      "ENOENT",
    ]);
  });
});

describe("folders", () => {
  test("are searched to their depth, and each file that has one is named", () => {
    mkdirSync(join(folder, "a/.hidden"), { recursive: true });
    writeFileSync(join(folder, "a/.hidden/log"), `12345${CANARY}${CANARY}`);
    writeFileSync(join(folder, "clean"), "nothing");
    const { findings, pieces } = scanForLeaks({ canaries, folders: [folder] });
    expect(findings).toEqual([
      { canary: "password", where: join(folder, "a/.hidden/log"), encoding: "plain" },
    ]);
    expect(pieces).toBe(7);
  });

  test("names and targets of links are searched, links are not followed, a second name is not read again", () => {
    const canary = "canary-in-a-name";
    writeFileSync(join(folder, "file"), canary);
    linkSync(join(folder, "file"), join(folder, "same file"));
    symlinkSync(`/nowhere/${canary}`, join(folder, "link"));
    symlinkSync(folder, join(folder, "round"));
    writeFileSync(join(folder, `x-${canary}`), "");
    writeFileSync(join(folder, `y-${Buffer.from(canary).toString("hex")}`), "");
    const { findings } = scanForLeaks({ canaries: { canary }, folders: [folder] });
    expect(findings.map(({ where }) => where)).toEqual([
      join(folder, "file"),
      `the target of ${join(folder, "link")}`,
      "(hidden: contains the canary canary)",
      "(hidden: contains the canary canary)",
    ]);
  });
});

test("as many canaries as a long test issues tokens cost no more than the bytes to search", () => {
  const tokens = Array.from(
    { length: 400 },
    () => `gAAAAA${randomBytes(90).toString("base64url")}`,
  );
  const leaked = tokens.slice(-3);
  const texts = {
    log: Array.from({ length: 1_000 }, () => randomBytes(75).toString("base64")).join("\\n"),
    ...Object.fromEntries(leaked.map((token) => [`at ${token}`, JSON.stringify({ token })])),
  };
  const before = process.cpuUsage();
  const { findings } = scanForLeaks({ canaries: Object.fromEntries(tokens.entries()), texts });
  expect(findings.map(({ canary, where }) => [canary, where])).toEqual(
    [397, 398, 399].map((number) => [`${number}`, `(hidden: contains the canary ${number})`]),
  );
  // With an expression for each canary, each took a fifth of a second, and V8 ran out of memory.
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});

test("a long string of escapes is decoded", () => {
  const text = asciiOnly(JSON.stringify(`${"密".repeat(200_000)}${CANARY}`));
  expect(encodingsIn(text)).toContain("json-escaped");
});

test("whoever scans in this package looks at what was not scanned", () => {
  const root = join(__dirname, "../..");
  const args = [
    "-rl",
    "--include=*.ts",
    "--include=*.md",
    "scanForLeaks(",
    "test",
    "examples",
    "docs",
  ];
  const files = execFileSync("grep", args, { cwd: root, encoding: "utf8" }).trim().split("\n");
  expect(files.length).toBeGreaterThan(7);
  const careless = files.filter(
    (file) => !readFileSync(join(root, file), "utf8").includes("notScanned"),
  );
  expect(careless).toEqual([]);
});

test.each<[message: string, wrong: object]>([
  [
    'There is no property "paths". Allowed: canaries, folders, texts.',
    { canaries: { password: "canary-of-a-test" }, paths: ["cdktf.out"] },
  ],
  ['There is no property "secrets".', { secrets: {} }],
  ["No canary is given.", { canaries: {} }],
  ['"short" is not a string of at least 8', { canaries: { short: "1234567" } }],
  ['"missing" is not a string', { canaries: { missing: undefined } }],
])("a scan that would find nothing is refused: %s", (message, wrong) => {
  expect(() => scanForLeaks(wrong as Parameters<typeof scanForLeaks>[0])).toThrow(
    expect.objectContaining({
      code: "ERR_TESTING_CONFIG_INVALID",
      message: expect.stringContaining(message),
    }),
  );
});

/** Writes a zip, as small as a test needs it. */
function writeZip(
  files: readonly {
    readonly content: Buffer;
    /** Compression: 0 is none, 8 deflate. */
    readonly method?: number;
    /** 1 is encrypted, 8 has sizes behind the data, as in Terraform's plan files. */
    readonly flags?: number;
  }[],
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let size = 0;
  for (const [index, { content, method = 8, flags = 0 }] of files.entries()) {
    const name = Buffer.from(String.fromCharCode(97 + index));
    const packed = method === 0 ? content : deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(1, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(size, 10);
    directory.push(Buffer.from("PK\x01\x02\0\0", "latin1"), common, place, name);
    const local = Buffer.from(common);
    if (flags & 8) local.writeUInt32LE(0, 14);
    parts.push(Buffer.from("PK\x03\x04", "latin1"), local, name, packed);
    parts.push(Buffer.alloc(flags & 8 ? 16 : 0));
    size = Buffer.concat(parts).length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(size, 16);
  return Buffer.concat([...parts, ...directory, end]);
}
