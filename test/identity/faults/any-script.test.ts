import fc from "fast-check";
import { IamTokensError } from "../../../lib/tokens";
import { fuzz, inAtMost } from "../../support/fuzz";
import { expectNoCanary } from "../support/wanted";
import { type TestFault, type TestFaultEntry, toList } from "./own-faults";
import { playRow } from "./play-row";
import { randomScript } from "./random-script";

jest.setTimeout(inAtMost(120_000));

/**
 * Small, because real time passes; what they cut off on a busy machine the properties hold for as
 * well.
 */
const LIMITS = { requestMs: 60, connectMs: 60 };

const SAYS_OTHER: ReadonlySet<string> = new Set([
  "other_scope",
  "other_account",
  "other_project",
  "whole system",
]);

/** Own transmissions after which the answer has arrived as a whole. */
const ARRIVES: ReadonlySet<string> = new Set([
  "unprintable",
  "HTTP/1.0",
  "extra answer",
  "chunks, fine",
]);

/** Whether the service's own answer arrived as a whole and named another scope in its body. */
function namedOther(entry: TestFaultEntry | undefined): boolean {
  const faults = toList(entry);
  const arrives = faults.every((fault) =>
    fault.kind === "own"
      ? fault.send === undefined || ARRIVES.has(fault.name)
      : fault.kind === "header" || fault.kind === "body" || fault.kind === "late",
  );
  const says = (fault: TestFault) =>
    fault.kind === "body" ? fault.how : fault.kind === "own" ? fault.name : "";
  return arrives && faults.some((fault) => SAYS_OTHER.has(says(fault)));
}

test("whatever happens by chance: bounded waits, at most 4 tries in addition to reconnections, no secret in a message, no token of another scope", async () => {
  const ends = new Map<string, number>();
  let underWay: ReturnType<typeof playRow> | undefined;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 0xffff_ffff }),
      fc.boolean(),
      fc.constantFrom("account", "project"),
      async (seed, https, ask) => {
        const script = randomScript({ seed, length: 6, share: 0.9, tls: https });
        underWay = playRow(
          { fault: "by chance", script, https, ask, limits: LIMITS, tries: 0, ends: "token" },
          false,
        );
        const played = await underWay;
        const { outcome, waits, tries } = played;
        const end = IamTokensError.is(outcome) ? outcome.code : "token";
        ends.set(end, (ends.get(end) ?? 0) + 1);

        const reconnects = played.lines.filter((line) =>
          /"result":"(ECONNRE(SET|FUSED)|EPIPE|closed)"/.test(JSON.stringify(line)),
        ).length;
        expect(tries).toBeLessThanOrEqual(4 + reconnects);
        expect(played.requests).toBeLessThanOrEqual(4 + reconnects);
        expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(30_000);
        expectNoCanary(outcome, played.secrets);
        expectNoCanary(played.lines, played.secrets);

        const last = script[tries - 1];
        if (IamTokensError.is(outcome)) {
          // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
          expect(outcome.message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]|::error/);
        } else {
          expect(namedOther(last)).toBe(false);
          expect(played.token).toMatchObject({
            status: "valid",
            kind: ask === "project" ? "iam_token_project_scoped" : "iam_token_account_scoped",
            accountId: "123456",
            project: ask === "project" ? "web" : null,
          });
        }
      },
    ),
    fuzz(200),
  );
  // When its time is over, fast-check leaves the case that it is in.
  await underWay;
  // The property would hold even for a client that hands out nothing, or meets nothing.
  expect(ends.get("token")).toBeGreaterThan(40);
  expect(ends.get("ERR_SCOPE_MISMATCH")).toBeGreaterThan(2);
  expect(ends.size).toBeGreaterThan(12);
});
