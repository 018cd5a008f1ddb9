import { createIamProvider } from "../../../lib/provider/iam-provider";
import {
  BLOCK,
  brief,
  contextOf,
  FakeIdentity,
  sessionOf,
  surroundingsOf,
  textOf,
} from "../fixtures";

/** When FakeIdentity's tokens end. */
const END = Date.parse("2026-01-03T03:04:05.999Z");
const MINUTE = 60_000;
const EXPIRED = "warning A token has expired, and Terraform is still running";

const opened = async (block: object = {}) => {
  const clock = { now: END - 24 * 60 * MINUTE };
  const processContext = surroundingsOf();
  const identity = new FakeIdentity();
  const provider = createIamProvider({ processContext, identity, now: () => clock.now });
  const token = provider.ephemeralResources.iam_token;
  const context = contextOf(sessionOf({ ...BLOCK, ...block }));
  const { renewAt, private: first } = (await token?.open({ scope: "account" }, context)) ?? {};
  const renew = () => token?.renew?.(first ?? Buffer.of(), context) ?? Promise.reject();
  const close = () => token?.close?.(first ?? Buffer.of(), context) ?? Promise.reject();
  return { clock, renewAt, renew, close, identity };
};

describe("a token that Terraform outlives", () => {
  test("is renewed at its end, by OpenTofu: a warning with both times and the remedy, and no request", async () => {
    const { clock, renewAt, renew, identity } = await opened();
    expect(renewAt).toBe(END);
    clock.now = END + 5_000;
    const diagnostics = await renew();
    expect(brief(diagnostics)).toEqual([EXPIRED]);
    expect(textOf(diagnostics)).toContain(
      "It expired at 2026-01-03T03:04:05Z, and now it is 2026-01-03T03:04:10Z: whatever uses it may be refused. Set min_remaining to more",
    );
    expect(identity.requests).toHaveLength(1);
  });

  test("is reported when it is closed as well: Terraform 1.11 drops what a renewal says", async () => {
    const { clock, close } = await opened();
    expect(await close()).toEqual([]);
    clock.now = END;
    expect(brief(await close())).toEqual([EXPIRED]);
  });

  test("is not renewed before its end, and the warning has the program's words", async () => {
    const { clock, renew } = await opened({ declared_by: "identity" });
    clock.now = END - MINUTE;
    expect(await renew()).toEqual([]);
    clock.now = END - 500;
    expect(textOf(await renew())).toContain("Set minRemaining to more");
  });
});
