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

test("one form at a time", () => {
  expect(() => tokenTextOf({ header: true, json: true })).toThrow("--header and --json");
  expect(() => tokenTextOf({ env: true, json: true })).toThrow("--env and --json");
});
