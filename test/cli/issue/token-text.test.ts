import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { tokenTextOf } from "../../../lib/cli/issue/token-text";
import type { IssuedToken } from "../../../lib/identity";
import { parseAuthUrl, Secret } from "../../../lib/tokens";
import { fuzz } from "../../support/fuzz";

const issued = (token: string): IssuedToken => ({
  token: Secret.of(token),
  kind: "iam_token_account_scoped",
  issuedAt: new Date("2026-01-02T03:04:05Z"),
  expiresAt: new Date("2026-01-03T03:04:05Z"),
  remainingMs: 86_400_000,
  authUrl: parseAuthUrl("https://k.example"),
  warnings: [],
});

test("a shell takes any printable token for itself", () => {
  const printable = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    maxLength: 40,
  });
  const text = fc.oneof(
    printable,
    fc.constantFrom("it's", "''", "$(id)", "`id`", "$HOME", "-n", "#"),
  );
  fc.assert(
    fc.property(text, (token) => {
      const lines = tokenTextOf({ env: "NAME" })(issued(token));
      const script = `${lines}printf '%s' "$NAME"`;
      expect(spawnSync("sh", ["-c", script], { encoding: "utf8" }).stdout).toBe(token);
    }),
    fuzz(50),
  );
});

test("refuses an invalid name, and does not repeat it", () => {
  for (const name of ["1A", "A B", "A;rm", "", "A=canary"]) {
    expect(() => tokenTextOf({ env: name })).toThrow(
      expect.objectContaining({
        code: "ERR_USAGE",
        message: expect.not.stringContaining("canary"),
      }),
    );
  }
});

test("refuses a name that a shell, a loader or an interpreter obeys, and takes any other", () => {
  const obeyed =
    "PATH CDPATH MANPATH HOME SHELL SHELLOPTS IFS PS1 PS4 ENV BASH_ENV BASH_FUNC_a PROMPT_COMMAND LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES NODE_OPTIONS NPM_CONFIG_PREFIX PYTHONSTARTUP PERL5LIB PERL5OPT RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS GIT_SSH_COMMAND GIT_EXEC_PATH EDITOR PAGER SSH_ASKPASS TF_CLI_ARGS TF_REATTACH_PROVIDERS Path";
  for (const name of obeyed.split(" "))
    expect(() => tokenTextOf({ env: name })).toThrow(
      `--env is ${name}, a variable that shells or other programs obey.`,
    );
  for (const name of ["IAM_TOKEN", "OS_TOKEN", "TF_VAR_token", "API_TOKEN", "x"])
    expect(tokenTextOf({ env: name })(issued("t"))).toMatch(`export ${name}='t'\n`);
});

test("one form at a time", () => {
  expect(() => tokenTextOf({ header: true, json: true })).toThrow("--header and --json");
  expect(() => tokenTextOf({ env: true, json: true })).toThrow("--env and --json");
});
