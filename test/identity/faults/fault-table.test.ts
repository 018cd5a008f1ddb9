import { IamTokensError } from "../../../lib/tokens";
import { expectNoCanary, HOUR } from "../support/wanted";
import type { FaultRow } from "./fault-row";
import { type Played, playRow } from "./play-row";
import { FAULT_ROWS } from "./rows";

const printed: string[] = [];

function line(cells: readonly string[]): string {
  const widths = [52, 5, 21, 30, 23, 9];
  return cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" ");
}

function show(row: FaultRow, { outcome, tries, waits, asked, tookMs }: Played): string {
  const memory =
    asked === undefined
      ? "-"
      : asked.atOnce
        ? "asks again"
        : asked.aMinuteLater
          ? "remembers for 60 s"
          : "remembers";
  return line([
    row.fault,
    String(tries),
    waits.length === 0 ? "-" : waits.map((wait) => `${wait / 1000} s`).join(", "),
    IamTokensError.is(outcome) ? outcome.code : "token",
    memory,
    `${tookMs.toFixed(0)} ms`,
  ]);
}

// Where a run of jest that writes its results to standard output does not mix with them.
afterAll(() => {
  const head = line(["what happens", "tries", "waits", "ends with", "the next reference", "took"]);
  process.stderr.write(
    `\n${head}\n${"-".repeat(head.length)}\n${printed.join("\n")}\n${printed.length} rows. A new plan is a new process: it asks anew.\n\n`,
  );
});

test.each(FAULT_ROWS.map((row) => [row.fault, row.tries ?? "many", row.ends, row] as const))(
  "%s: %s tries, %s",
  async (_fault, _tries, _ends, row) => {
    const played = await playRow(row);
    printed.push(show(row, played));
    const { outcome, requestMs = 0 } = played;
    const says = row.says?.replace("{requestMs}", `${requestMs / 1000} s`);

    expect({
      ends: IamTokensError.is(outcome) ? outcome.code : "token",
      tries: played.tries,
      waits: row.isTriedAgain ? played.waits.slice(0, -1) : played.waits,
    }).toEqual({
      ends: row.ends,
      tries: row.tries ?? expect.any(Number),
      waits: row.waits ?? (row.isTriedAgain ? expect.any(Array) : []),
    });
    if (row.isTriedAgain) expect(played.tries).toBeGreaterThan(2);
    // A fault before there is a request never becomes one.
    const handshakes = row.script.filter((entry) => entry !== null && "tls" in entry).length;
    const arrived = row.proxy === undefined ? Math.max(0, played.tries - handshakes) : 0;
    expect(played.requests).toBeLessThanOrEqual(arrived);
    // A try that a limit ends may end, on a busy machine, before the service has read its request.
    if (row.limits?.requestMs === undefined) expect(played.requests).toBe(arrived);

    // Bounds: twenty seconds by the clock, and the last try begins a second before their end.
    const waited = played.waits.reduce((sum, wait) => sum + wait, 0);
    expect(waited).toBeLessThanOrEqual(19_000);
    if (row.isTriedAgain) expect(waited + played.tookMs).toBeGreaterThanOrEqual(18_999);
    expect(waited + played.tookMs).toBeLessThan(22_000);

    // Nothing secret in messages or logs, nothing that a terminal or a CI system would act on.
    expectNoCanary(outcome, played.secrets);
    expectNoCanary(played.lines, played.secrets);
    if (IamTokensError.is(outcome)) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
      expect(outcome.message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]|::error/);
      expect(outcome.message).toContain(outcome.remedy);
      expect(outcome.message).toContain(`[${row.ends}]`);
      if (played.tries > 1) expect(outcome.message).toContain(`after ${played.tries} tries`);
      if (says !== undefined) expect(outcome.message).toContain(says);
    } else {
      expect(played.token).toMatchObject({ status: "valid", kind: outcome.kind });
      expect(outcome.kind).toBe(
        row.ask === "project" ? "iam_token_project_scoped" : "iam_token_account_scoped",
      );
      expect((outcome.expiresAt.getTime() - outcome.issuedAt.getTime()) / HOUR).toBeCloseTo(
        row.lives ?? 24,
        3,
      );
      expect(outcome.warnings.join("\n")).toContain(says ?? "");
      if (says === undefined) expect(outcome.warnings).toEqual([]);
    }

    // The next request: a token is kept, a 401 for a minute, anything else leads to a new request;
    // a new plan starts anew.
    if (played.asked === undefined) return;
    const remembers =
      row.afterwards === "remembers" ||
      row.ends === "token" ||
      row.ends === "ERR_CREDENTIALS_REJECTED";
    expect(played.asked).toEqual({
      atOnce: !remembers,
      aMinuteLater: row.ends === "ERR_CREDENTIALS_REJECTED" || row.afterwards === "remembers",
      nextPlan: true,
    });
  },
);

test("the table has more than 60 rows, each of its own name", () => {
  expect(new Set(FAULT_ROWS.map(({ fault }) => fault)).size).toBe(FAULT_ROWS.length);
  expect(FAULT_ROWS.length).toBeGreaterThan(60);
});
