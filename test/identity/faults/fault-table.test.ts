import { IamTokensError } from "../../../lib/tokens";
import { expectNoCanary, HOUR } from "../support/wanted";
import { playRow } from "./play-row";
import { FAULT_ROWS } from "./rows";

test.each(FAULT_ROWS.map((row) => [row.fault, row.tries ?? "many", row.ends, row] as const))(
  "%s: %s tries, %s",
  async (_fault, _tries, _ends, row) => {
    const played = await playRow(row);
    const { outcome, requestMs = 0, totalMs } = played;
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

    // Bounds: one time by the clock, and the last try begins a second before its end.
    const waited = played.waits.reduce((sum, wait) => sum + wait, 0);
    expect(waited).toBeLessThanOrEqual(totalMs - 1_000);
    if (row.isTriedAgain) expect(waited + played.tookMs).toBeGreaterThanOrEqual(totalMs - 1_001);
    expect(waited + played.tookMs).toBeLessThan(totalMs + 2_000);

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
      expect(outcome.expiresAt.getTime() - outcome.issuedAt.getTime()).toBe(24 * HOUR);
      const warned =
        says === undefined ? [] : [expect.stringContaining(`The body of the answer ${says}`)];
      expect(outcome.warnings).toEqual(warned);
    }

    // The next request: a token is kept, a 401 for a minute, anything else leads to a new request;
    // a new plan starts anew.
    if (played.asked === undefined) return;
    const isRefused = row.ends === "ERR_CREDENTIALS_REJECTED";
    expect(played.asked).toEqual({
      atOnce: row.ends !== "token" && !isRefused,
      aMinuteLater: isRefused,
      nextPlan: true,
    });
  },
);
