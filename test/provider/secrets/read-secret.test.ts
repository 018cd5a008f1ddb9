import { execFileSync } from "node:child_process";
import { mkdirSync, promises, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { toDiagnostic } from "../../../lib/provider/configuration/diagnostics";
import { readRegularFile } from "../../../lib/provider/secrets/read-regular-file";
import { assertHeaderSafe, readSecret } from "../../../lib/provider/secrets/read-secret";
import { type PlacedSecret, parseCommand } from "../../../lib/provider/secrets/secret-reference";
import { IamTokensError, Secret } from "../../../lib/tokens";
import { onPlatform } from "../../support/platform";
import { processorTime } from "../../support/processor-time";
import { CANARY, eachIn, surroundingsOf } from "../fixtures";

let folder: string;
eachIn((own) => {
  folder = own;
});

const toText = (error: unknown): string => {
  if (!IamTokensError.is(error)) throw error;
  expect(error.message).not.toMatch(/canary|[^\P{C}\n]/u);
  const allowed = error.allowed === undefined ? "" : `Allowed: ${error.allowed}. `;
  return `${error.code} ${error.problem} ${allowed}${error.remedy}`;
};
const read = (reference: PlacedSecret, variables = {}): Promise<string> =>
  readSecret(reference, surroundingsOf(variables, { workingFolder: folder })).then(
    (secret) => `value ${secret.reveal()}`,
    toText,
  );
const fromFile = (path: string): Promise<string> =>
  read({ kind: "file", place: path, origin: "password_file" });
const fromVariable = (name: string, variables: Record<string, string>): Promise<string> =>
  read({ kind: "env", place: name, origin: "password_env" }, variables);

const MIB = 1024 * 1024;
const PADDED = CANARY.password.padEnd(MIB + 1, "x");

test.each<[what: string, content: string | Buffer, outcome: string | RegExp]>([
  ["one newline", "x\n", "value x"],
  ["one newline of Windows", "x\r\n", "value x"],
  ["the last of two newlines only", "x\n\n", "value x\n"],
  ["no carriage return alone", "x\r", "value x\r"],
  ["no spaces", " x ", "value  x "],
  ["nothing of Unicode", "п\u{1f511}e\u0301", "value п\u{1f511}e\u0301"],
  ["nothing of 1 MiB", "x".repeat(MIB), `value ${"x".repeat(MIB)}`],
  ["all as a newline alone", "\n", /^ERR_SECRET_EMPTY .* is empty\./],
  ["all with a byte order mark", `\ufeff${CANARY.password}`, /^ERR_SECRET_NOT_UTF8 .* order mark/],
  ["all with NUL", `${CANARY.password}\0`, /^ERR_SECRET_NOT_UTF8 .* NUL/],
  ["all when it was damaged before", `${CANARY.password}\ufffd`, /^ERR_SECRET_NOT_UTF8 .*U\+FFFD/],
  ["all above 1 MiB", PADDED, /^ERR_SECRET_TOO_LARGE .* larger than 1 MiB/],
  [
    "all with bytes that are not UTF-8",
    Buffer.concat([Buffer.from(CANARY.password), Buffer.from([0xff])]),
    /^ERR_SECRET_NOT_UTF8 .* is not UTF-8/,
  ],
  ["all with half a surrogate", Buffer.from([0xed, 0xa0, 0x80]), /^ERR_SECRET_NOT_UTF8/],
])("a secret loses %s, in a file and in a variable", async (_what, content, outcome) => {
  writeFileSync(join(folder, "secret"), content);
  const check = (found: string, place: string) => {
    if (typeof outcome === "string") expect(found === outcome).toBe(true);
    else {
      expect(found).toMatch(outcome);
      expect(found).toContain(place);
    }
  };
  for (const path of ["secret", join(folder, "secret")])
    check(await fromFile(path), `The file ${JSON.stringify(path)} (password_file)`);
  if (typeof content === "string")
    check(
      await fromVariable("NAME", { NAME: content }),
      "The environment variable NAME (password_env)",
    );
});

describe("a file", () => {
  test("that does not exist is reported with the path that was read", async () => {
    writeFileSync(join(folder, "file"), "x");
    for (const path of ["./none", "file/below"])
      expect(await fromFile(path)).toMatch(
        `ERR_SECRET_MISSING The file "${path}" (password_file) does not exist (here that is "${join(folder, path)}"). `,
      );
    expect(await fromFile("~/password")).toContain(
      'The ~ is not expanded here; in a configuration, pathexpand("~/…") does it.',
    );
    expect(await fromFile("password~")).not.toContain("expand");
    expect(await fromFile(join(folder, "none"))).toContain("does not exist. ");
    expect(await fromFile("./no\u202egnp")).toContain('"./no\\u202egnp"');
  });

  test.each(["Passw0rd", "Pass/w0rd+77%", "/Pass/w0rd", "~Passw0rd/x"])(
    "that may be the secret itself, given in place of its file, is not repeated: %s",
    async (secret) => {
      const message = await fromFile(secret);
      expect(message).toMatch(
        /^ERR_SECRET_MISSING The file that password_file names does not exist/,
      );
      expect(message).toContain("Give the path of the file, not what it contains.");
      expect(message).not.toMatch(/pass|w0rd/i.exec(secret)?.[0] ?? "");
    },
  );

  test("that is a pipe of a shell, as in <(command), is named as one", async () => {
    expect(await fromFile("/dev/fd/63")).toMatch(/is no regular file: a pipe/);
  });

  test("that is none is refused without a wait, even behind a link", async () => {
    mkdirSync(join(folder, "directory"));
    symlinkSync("loop", join(folder, "loop"));
    execFileSync("mkfifo", [join(folder, "fifo")]);
    symlinkSync("fifo", join(folder, "link"));
    symlinkSync("..data/token", join(folder, "nowhere"));
    const server = createServer().listen(join(folder, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    try {
      for (const [path, why] of [
        ["directory", "is no regular file"],
        ["/dev/zero", "is no regular file"],
        ["socket", "cannot be read (ENXIO)"],
        ["fifo", "is no regular file"],
        ["link", "is no regular file"],
        ["loop", "cannot be read (ELOOP)"],
        ["nowhere", "leads to no file"],
        [`./${"x".repeat(300)}`, "cannot be read (ENAMETOOLONG)"],
      ] as const) {
        expect(await fromFile(path)).toContain(
          `ERR_SECRET_UNREADABLE The file "${path}" (password_file) ${why}`,
        );
      }
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test("is refused on Windows by a path relative to a drive, which is a name elsewhere", async () => {
    writeFileSync(join(folder, "C:secret"), "x");
    expect(await fromFile("C:secret")).toBe("value x");
    expect(await onPlatform("win32", () => fromFile("C:secret"))).toMatch(
      /^ERR_SECRET_UNREADABLE password_file starts from the folder .* Give the whole path/,
    );
    expect(await onPlatform("win32", () => fromFile("a/C:secret"))).toContain("does not exist");
  });

  test("that reports no size is read, and each is closed", async () => {
    const opened = () => readdirSync("/proc/self/fd").length;
    const before = opened();
    expect(await fromFile("/proc/self/comm")).toMatch(/^value ./);
    expect(opened()).toBe(before);
  });

  test.each([
    ["", "empty"],
    ["a\nb", "not a path: it contains a control character"],
  ])("needs a path: refuses %j", async (path, why) => {
    expect(await fromFile(path)).toMatch(`ERR_SECRET_UNREADABLE password_file is ${why}. `);
  });

  test("is judged by its real path", async () => {
    const path = join(folder, "real");
    writeFileSync(path, "x");
    symlinkSync("real", join(folder, "by-link"));
    const asked: string[] = [];
    const rule = (real: string) => void asked.push(real);
    expect(await readRegularFile(join(folder, "by-link"), { rule })).toEqual({
      content: Buffer.from("x"),
      path,
    });
    expect(asked).toEqual([path]);
  });

  // What takes its place before it is opened is met by the flags of that.
  test.each([
    ["a link", "open", "cannot be read (ELOOP)"],
    [
      "a pipe",
      "open",
      "is no regular file: a pipe, for one, is not read (sops exec-file gives a file with --no-fifo)",
    ],
  ] as const)("in whose place %s is put before %s is not read", async (what, call, why) => {
    const path = join(folder, "real");
    writeFileSync(path, "x");
    writeFileSync(join(folder, "elsewhere"), "y");
    const replace = () => {
      rmSync(path);
      if (what === "a link") symlinkSync("elsewhere", path);
      else execFileSync("mkfifo", [path]);
    };
    const { open } = promises;
    const spied = jest.spyOn(promises, "open").mockImplementation((...given) => {
      if (call === "open") replace();
      return open(...given);
    });
    let waited = false;
    // Whoever waits for a writer would do so for ever.
    const writer = setTimeout(() => {
      waited = true;
      writeFileSync(path, "");
    }, 2_000);
    try {
      const rule = call === "open" ? () => undefined : replace;
      expect(await readRegularFile(path, { rule })).toEqual({ failure: "unreadable", why });
      expect(waited).toBe(false);
    } finally {
      clearTimeout(writer);
      spied.mockRestore();
    }
  });

  test("has another limit if it is asked to", async () => {
    writeFileSync(join(folder, "limited"), "x".repeat(MIB / 2 + 1));
    expect(await readRegularFile(join(folder, "limited"), { limit: MIB / 2 })).toEqual({
      failure: "too large",
      why: "is larger than 512 KiB",
    });
  });
});

describe("a variable", () => {
  test("that is not set is reported in the headline, and the remedy is about a variable", async () => {
    const reference = { kind: "env", place: "NAME", origin: "password_env" } as const;
    const error = await readSecret(reference, surroundingsOf()).catch((failed: unknown) => failed);
    expect(toDiagnostic(error)).toMatchObject({
      summary: "The environment variable NAME (password_env) is not set [ERR_SECRET_MISSING]",
      detail: expect.stringContaining("Set the variable, then run again."),
    });
    for (const name of ["constructor", "__proto__"])
      expect(await fromVariable(name, {})).toContain("is not set");
    // Whose name is its origin.
    expect(await read({ kind: "env", place: "OS_PASSWORD", origin: "OS_PASSWORD" })).toContain(
      "The environment variable OS_PASSWORD is not set.",
    );
  });

  test("with an invalid name is refused without the name, which may be the secret", async () => {
    for (const name of ["canary-not-a-name", "", "1A", "A B", "A=B", "A".repeat(256)])
      expect(await fromVariable(name, {})).toMatch(
        /^ERR_SECRET_MISSING password_env is not the name of an environment variable\. Allowed: letters, .* Give the/,
      );
    expect(await fromVariable("A1_b", { A1_b: "x" })).toBe("value x");
    // `process.env.PASSWORD` in place of its name; a variable may hold the name of another one.
    const wrong = await fromVariable("c0ffee", { PASSWORD: "c0ffee" });
    expect(wrong).toMatch(
      /^ERR_SECRET_MISSING password_env is the value of an environment variable\. /,
    );
    expect(await fromVariable("A1_b", { A1_b: "x", NAME: "A1_b" })).toBe("value x");
  });
});

test("a value is taken as it is, unless it is empty", async () => {
  const fromValue = (text: string): Promise<string> =>
    read({ kind: "value", place: Secret.of(text), origin: "password" });
  expect(await fromValue("x\n")).toBe("value x\n");
  expect(await fromValue("")).toMatch(/^ERR_SECRET_EMPTY password is empty\./);
});

test.each<[readonly unknown[], string]>([
  [[], "is empty"],
  [[" "], "does not begin with a program"],
  [["op", null], "has an element that is null or has a NUL character"],
  [["op read"], "is one string with blanks, not a list of program and arguments"],
])("the command %j is refused", (parts, why) => {
  expect(() => parseCommand("password_command", parts)).toThrow(`password_command ${why}. Allowed`);
  expect(parseCommand("password_command", ["op", "read"])).toEqual(["op", "read"]);
});

test.each<[string, string]>([
  ["x", ""],
  ["!\"#$%&'()*+,/:;<=>?@[\\]^`{|}~", ""],
  [" x", "starts or ends with white space"],
  ["x\n", "starts or ends with white space"],
  ["a\r\nX-Other: b", "characters that a header cannot carry"],
  ["é", "characters that a header cannot carry"],
  ["a\u007fb", "characters that a header cannot carry"],
])("a header and %j: %s", (text, why) => {
  const check = () => assertHeaderSafe("env", Secret.of(text));
  if (why === "") expect(check).not.toThrow();
  else
    expect(check).toThrow(
      new RegExp(`^env .*${why}\\. Allowed: printable .*\\[ERR_SECRET_UNUSABLE\\]$`),
    );
});

test("whether a header can carry it is found at once for a long string of spaces", async () => {
  const spaces = Secret.of(`x${" ".repeat(MIB)}\n`);
  const took = await processorTime(() => expect(() => assertHeaderSafe("env", spaces)).toThrow());
  expect(took).toBeLessThan(1_000);
});
