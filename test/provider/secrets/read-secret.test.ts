import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toDiagnostic } from "../../../lib/provider/configuration/diagnostics";
import { readRegularFile } from "../../../lib/provider/secrets/read-regular-file";
import { readSecret } from "../../../lib/provider/secrets/read-secret";
import {
  assertVariableName,
  type PlacedSecret,
  parseCommand,
} from "../../../lib/provider/secrets/secret-reference";
import { IamTokensError, Secret } from "../../../lib/tokens";
import { onPlatform } from "../../support/platform";
import { CANARY, surroundingsOf } from "../fixtures";

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "iam-secret-")));
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (reference: PlacedSecret, variables = {}): Promise<string> =>
  readSecret(reference, surroundingsOf(variables, { workingFolder: folder })).then(
    (secret) => `value ${secret.reveal()}`,
    (error: unknown) => (IamTokensError.is(error) ? error.message : `unexpected ${String(error)}`),
  );
const fromFile = (path: string): Promise<string> =>
  read({ kind: "file", path, origin: "password_file" });
const fromVariable = (name: string, variables: Record<string, string>): Promise<string> =>
  read({ kind: "env", name, origin: "password_env" }, variables);
const fileOf = (content: string | Buffer): Promise<string> => {
  writeFileSync(join(folder, "secret"), content);
  return fromFile("secret");
};

describe("a secret in a file", () => {
  test("is named by its path, without characters that reverse text in a terminal", async () => {
    const message = await fromFile("no\u202egnp");
    expect(message).toContain('"no\\u202egnp"');
    expect(message).not.toMatch(/\p{C}/u);
  });

  test("is read from a path relative to the working folder, or absolute", async () => {
    writeFileSync(join(folder, "a"), "pass word");
    expect(await fromFile("a")).toBe("value pass word");
    expect(await fromFile(join(folder, "a"))).toBe("value pass word");
  });

  test.each([
    ["one newline", "x\n", "x"],
    ["one newline of Windows", "x\r\n", "x"],
    ["the last of two newlines only", "x\n\n", "x\n"],
    ["no carriage return alone", "x\r", "x\r"],
    ["no spaces", " x ", " x "],
    ["nothing of a string with Unicode", "пароль\u{1f511}e\u0301", "пароль\u{1f511}e\u0301"],
  ])("loses %s at its end", async (_what, content, expected) => {
    expect(await fileOf(content)).toBe(`value ${expected}`);
  });

  test.each([
    ["empty", "", "is empty", "ERR_SECRET_EMPTY"],
    ["a newline alone", "\n", "is empty", "ERR_SECRET_EMPTY"],
    [
      "not UTF-8",
      Buffer.concat([Buffer.from(CANARY.password), Buffer.from([0xff])]),
      "is not UTF-8",
      "ERR_SECRET_NOT_UTF8",
    ],
    ["an overlong sequence", Buffer.from([0xc0, 0x80]), "is not UTF-8", "ERR_SECRET_NOT_UTF8"],
    ["a half surrogate", Buffer.from([0xed, 0xa0, 0x80]), "is not UTF-8", "ERR_SECRET_NOT_UTF8"],
    [
      "begun with a byte order mark",
      `\ufeff${CANARY.password}`,
      "byte order mark",
      "ERR_SECRET_NOT_UTF8",
    ],
    ["UTF-16", Buffer.from(CANARY.password, "utf16le"), "NUL", "ERR_SECRET_NOT_UTF8"],
    ["damaged before", `${CANARY.password}\ufffd`, "U+FFFD", "ERR_SECRET_NOT_UTF8"],
    [
      "larger than 1 MiB",
      CANARY.password.padEnd(1024 * 1024 + 1, "x"),
      "larger than 1 MiB",
      "ERR_SECRET_TOO_LARGE",
    ],
  ])("is refused when it is %s, and never printed", async (_what, content, why, code) => {
    const message = await fileOf(content);
    expect(message).toContain('The file "secret" (password_file)');
    expect(message).toContain(why);
    expect(message).toContain(`[${code}]`);
    expect(message).not.toContain(CANARY.password);
  });

  test("may have exactly 1 MiB", async () => {
    expect(await fileOf("x".repeat(1024 * 1024))).toHaveLength("value ".length + 1024 * 1024);
  });

  test("is reported as missing, even below a file", async () => {
    writeFileSync(join(folder, "file"), "x");
    for (const path of ["none", "file/below"]) {
      // The error has the path that was read, since it goes by Terraform's working folder and not
      // by the user's.
      expect(await fromFile(path)).toContain(
        `does not exist (here that is "${join(folder, path)}").`,
      );
      expect(await fromFile(path)).toMatch(/\[ERR_SECRET_MISSING\]$/);
    }
  });

  test("in a home folder gets the remedy for ~", async () => {
    const here = JSON.stringify(join(folder, "~/password"));
    expect(await fromFile("~/password")).toBe(
      `The file "~/password" (password_file) does not exist (here that is ${here}). ` +
        'The ~ is not expanded here; in a configuration, pathexpand("~/…") does it. ' +
        "Set the variable or create the file, then run again. [ERR_SECRET_MISSING]",
    );
    expect(await fromFile("password~")).not.toContain("expand");
    const absolute = join(folder, "none");
    expect(await fromFile(absolute)).toBe(
      `The file ${JSON.stringify(absolute)} (password_file) does not exist. ` +
        "Set the variable or create the file, then run again. [ERR_SECRET_MISSING]",
    );
  });

  test("that is a directory, a device, a socket or a broken link is refused without a wait", async () => {
    mkdirSync(join(folder, "directory"));
    symlinkSync("loop", join(folder, "loop"));
    const server = createServer().listen(join(folder, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    try {
      expect(await fromFile("directory")).toContain("is a directory");
      expect(await fromFile("/dev/zero")).toContain("is a device");
      expect(await fromFile("socket")).toContain("is a socket");
      expect(await fromFile("loop")).toContain("cannot be read (ELOOP)");
      expect(await fromFile("x".repeat(300))).toContain("cannot be read (ENAMETOOLONG)");
      for (const path of ["directory", "/dev/zero", "socket", "loop"])
        expect(await fromFile(path)).toContain("[ERR_SECRET_UNREADABLE]");
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test("that is a FIFO without a writer is refused without a wait, even behind a link", async () => {
    execFileSync("mkfifo", [join(folder, "fifo")]);
    symlinkSync("fifo", join(folder, "link"));
    expect(await fromFile("fifo")).toContain("is a FIFO");
    expect(await fromFile("link")).toContain("is a FIFO");
  });

  test("is refused on Windows by a path relative to a drive, which is a name elsewhere", async () => {
    writeFileSync(join(folder, "C:secret"), "x");
    expect(await fromFile("C:secret")).toBe("value x");
    expect(await onPlatform("win32", () => fromFile("C:secret"))).toMatch(
      /^password_file is "C:secret", which starts from the folder .* Give the whole path \(C:\\folder\\file\), or one without the drive\. \[ERR_SECRET_UNREADABLE\]$/,
    );
    expect(await onPlatform("win32", () => fromFile("a/C:secret"))).toContain("does not exist");
  });

  test("is read from files that report no size", async () => {
    expect(await fromFile("/proc/self/comm")).toMatch(/^value ./);
  });

  test.each([
    ["", "empty"],
    ["a\0b", "not a path: it contains a control character"],
    ["a\nb", "not a path: it contains a control character"],
  ])("needs a path: refuses %j", async (path, why) => {
    expect(await fromFile(path)).toContain(`password_file is ${why}. `);
    expect(await fromFile(path)).toContain("[ERR_SECRET_UNREADABLE]");
  });

  describe("that may not be read from everywhere", () => {
    test("is judged by its real path, and that is opened: a link in its place is not followed", async () => {
      const path = join(folder, "real");
      writeFileSync(path, "x");
      writeFileSync(join(folder, "elsewhere"), "y");
      symlinkSync("real", join(folder, "by-link"));
      const asked: string[] = [];
      const rule = (real: string) => void asked.push(real);
      expect(await readRegularFile(join(folder, "by-link"), { rule })).toEqual({
        content: Buffer.from("x"),
        path,
      });
      const replace = (real: string) => {
        asked.push(real);
        rmSync(path);
        symlinkSync("elsewhere", path);
      };
      expect(await readRegularFile(path, { rule: replace })).toMatchObject({
        failure: "unreadable",
      });
      expect(asked).toEqual([path, path]);
    });

    test("or by another limit", async () => {
      writeFileSync(join(folder, "limited"), "x".repeat(1024 * 512 + 1));
      expect(await readRegularFile(join(folder, "limited"), { limit: 1024 * 512 })).toEqual({
        failure: "too large",
        why: "is larger than 0.5 MiB",
      });
    });
  });
});

describe("a secret in a variable", () => {
  test("is read, less one newline at its end", async () => {
    expect(await fromVariable("NAME", { NAME: "x\n" })).toBe("value x");
  });

  test.each([
    ["not set", {}, "is not set", "ERR_SECRET_MISSING"],
    ["empty", { NAME: "" }, "is empty", "ERR_SECRET_EMPTY"],
    [
      "not UTF-8, as Node shows it",
      { NAME: `${CANARY.password}\ufffd` },
      "U+FFFD",
      "ERR_SECRET_NOT_UTF8",
    ],
    [
      "larger than 1 MiB",
      { NAME: CANARY.password.padEnd(1024 * 1024 + 1, "x") },
      "1 MiB",
      "ERR_SECRET_TOO_LARGE",
    ],
  ])("is refused when it is %s, and never printed", async (_what, variables, why, code) => {
    const message = await fromVariable("NAME", variables);
    expect(message).toContain("The environment variable NAME (password_env)");
    expect(message).toContain(why);
    expect(message).toContain(`[${code}]`);
    expect(message).not.toContain(CANARY.password);
  });

  test("that is not set is reported in the headline, and the remedy is about a variable", async () => {
    const reference = { kind: "env", name: "NAME", origin: "password_env" } as const;
    const processContext = { variables: {}, workingFolder: "/", attached: false };
    const error = await readSecret(reference, processContext).catch((failed: unknown) => failed);
    expect(toDiagnostic(error).summary).toBe(
      "Environment variable NAME is not set [ERR_SECRET_MISSING]",
    );
    expect(toDiagnostic(error).detail).toContain("Set the variable, then run again.");
    expect(await fromVariable("NAME", {})).toBe(
      "The environment variable NAME (password_env) is not set. " +
        "Set the variable, then run again. [ERR_SECRET_MISSING]",
    );
  });

  test("whose name is its origin is named once", async () => {
    const name = "OS_PASSWORD";
    expect(await read({ kind: "env", name, origin: name })).toMatch(
      /^The environment variable OS_PASSWORD is not set\. /,
    );
  });

  test("inherited from Object.prototype is not set", async () => {
    for (const name of ["constructor", "__proto__", "toString"])
      expect(await fromVariable(name, {})).toContain("is not set");
  });

  test("with an invalid name is refused without the name, which may be the secret", async () => {
    for (const name of ["canary-not-a-name", "", "1A", "A B", "A=B", "A".repeat(256)]) {
      const message = await fromVariable(name, {});
      expect(message).toBe(
        "password_env is not the name of an environment variable. " +
          "Allowed: letters, digits and _, not starting with a digit. " +
          "Give the name of the variable that holds the secret, not the secret itself. " +
          "[ERR_SECRET_MISSING]",
      );
      expect(() => assertVariableName("password_env", "A1_b")).not.toThrow();
      if (name !== "") expect(message).not.toContain(name);
    }
  });
});

describe("a secret given as a value", () => {
  const fromValue = (text: string): Promise<string> =>
    read({ kind: "value", value: Secret.of(text), origin: "password" });

  test("is taken as it is", async () => {
    expect(await fromValue("x\n")).toBe("value x\n");
  });

  test("is refused when it is empty", async () => {
    expect(await fromValue("")).toMatch(/^password is empty\. .*\[ERR_SECRET_EMPTY\]$/);
  });
});

test.each<{ parts: readonly unknown[]; why: string }>([
  { parts: [], why: "is empty" },
  { parts: [" "], why: "does not begin with a program" },
  { parts: ["op", null], why: "has an element that is null or has a NUL character" },
  { parts: ["op read"], why: "is one string with blanks, not a list of program and arguments" },
])("a command that $why is refused", ({ parts, why }) => {
  expect(() => parseCommand("password_command", parts)).toThrow(
    `password_command ${why}. Allowed: a list of strings, the program first: ` +
      '["op", "read", "op://ci/deployer/password"]. ' +
      "Give the program and its arguments as a list, one entry per word; no shell reads them. [ERR_COMMAND_FAILED]",
  );
  expect(parseCommand("password_command", ["op", "read"])).toEqual(["op", "read"]);
});
