import { brief, textOf } from "../fixtures";
import { HOUR, opening } from "./prepared";

/** When FakeIdentity's tokens end. */
const END = Date.parse("2026-01-03T03:04:05.999Z");
const EXPIRED = "warning A token has expired, and Terraform is still running";

test("a token is renewed at its end, by OpenTofu: a warning with both times and the remedy, and no request", async () => {
  const { clock, open, renew, identity } = opening();
  const { renewAt, private: bytes } = await open();
  expect(renewAt).toBe(END);
  clock.now = END + 5_000;
  const diagnostics = await renew(bytes);
  expect(brief(diagnostics)).toEqual([EXPIRED]);
  expect(textOf(diagnostics)).toContain(
    "It expired at 2026-01-03T03:04:05Z, and now it is 2026-01-03T03:04:10Z: whatever uses it may be refused. Set min_remaining (minRemaining) to more",
  );
  expect(identity.requests).toHaveLength(1);
});

test.each([10, -10])(
  "the end is by this machine's clock, which is %d min ahead of the service's",
  async (ahead) => {
    const { clock, open, renew, identity } = opening();
    const receivedAt = clock.now + ahead * 60_000;
    identity.onIssue = async () => ({ receivedAt, remainingMs: HOUR });
    const { renewAt, private: bytes } = await open();
    expect(renewAt).toBe(receivedAt + HOUR);
    clock.now = receivedAt + HOUR - 60_000;
    expect(await renew(bytes)).toEqual([]);
    clock.now += 60_000;
    expect(brief(await renew(bytes))).toHaveLength(1);
  },
);

test("an expired token is reported when it is closed as well: Terraform 1.11 drops what a renewal says", async () => {
  const { clock, open, close } = opening();
  const { private: bytes } = await open();
  expect(await close(bytes)).toEqual([]);
  clock.now = END;
  expect(brief(await close(bytes))).toEqual([EXPIRED]);
});

test("a token is not expired up to a second before its end", async () => {
  const { clock, open, renew } = opening();
  const { private: bytes } = await open();
  for (const early of [HOUR, 1_001]) {
    clock.now = END - early;
    expect(await renew(bytes)).toEqual([]);
  }
  clock.now = END - 1_000;
  expect(textOf(await renew(bytes))).toContain("It expired at");
});
