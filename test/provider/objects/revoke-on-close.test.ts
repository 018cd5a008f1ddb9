import { type CtyValue, UNKNOWN } from "../../../lib/plugin/cty/value";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import { IamTokensError, Secret } from "../../../lib/tokens";
import {
  BLOCK,
  brief,
  CANARY,
  contextOf,
  FakeIdentity,
  sessionOf,
  surroundingsOf,
  textOf,
} from "../fixtures";

const ENDS_AT = Date.parse("2026-01-03T03:04:05.999Z");
const CONFIG = { scope: "account", revoke_on_close: true };

const prepare = () => {
  const identity = new FakeIdentity();
  let issued = 0;
  identity.onIssue = async () => ({ token: Secret.of(`${CANARY.token}-${++issued}`) });
  let id = 0;
  const deadlines: number[] = [];
  const provider = createIamProvider({
    processContext: surroundingsOf(),
    identity,
    now: () => ENDS_AT - 3_600_000,
    newId: () => `id-${++id}`,
    deadline: (milliseconds) => {
      deadlines.push(milliseconds);
      return new AbortController().signal;
    },
  });
  const token = provider.ephemeralResources.iam_token;
  if (token?.close === undefined) throw new Error("no close");
  const { close } = token;
  const context = contextOf(sessionOf(BLOCK));
  return {
    identity,
    provider,
    context,
    deadlines,
    open: (signal?: AbortSignal) => token.open(CONFIG, signal ? { ...context, signal } : context),
    close: (privateData: Uint8Array | undefined) => close(privateData ?? new Uint8Array(), context),
    revoked: () => identity.revoked.map((each) => each.token),
  };
};

describe("a token with revoke_on_close", () => {
  test("is not shared, and its private data are only its end and a random id", async () => {
    const random = createIamProvider({
      processContext: surroundingsOf(),
      identity: new FakeIdentity(),
    }).ephemeralResources.iam_token;
    const { private: id } = (await random?.open(CONFIG, contextOf(sessionOf(BLOCK)))) ?? {};
    expect(Buffer.from(id ?? []).toString()).toMatch(
      /^\d{13} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    );
    const { open, identity } = prepare();
    const opened = [await open(), await open()];
    expect(identity.requests.map(({ way }) => way)).toEqual(["issueOwn", "issueOwn"]);
    expect(opened.map((each) => Buffer.from(each.private ?? []).toString())).toEqual([
      `${ENDS_AT} id-1`,
      `${ENDS_AT} id-2`,
    ]);
    expect(opened.map((each) => each.result?.token)).toEqual([
      `${CANARY.token}-1`,
      `${CANARY.token}-2`,
    ]);
  });

  test.each<CtyValue>([false, null, UNKNOWN])(
    "is shared and has no id when the argument is %p",
    async (flag) => {
      const { provider, identity, context } = prepare();
      const opened = await provider.ephemeralResources.iam_token?.open(
        { ...CONFIG, revoke_on_close: flag },
        context,
      );
      expect(identity.requests.map(({ way }) => way)).toEqual(["obtain"]);
      expect(Buffer.from(opened?.private ?? []).toString()).toBe(`${ENDS_AT} `);
    },
  );

  test("is revoked by Close, once", async () => {
    const { open, close, revoked, deadlines } = prepare();
    const [first] = [await open(), await open()];
    expect(await close(first?.private)).toEqual([]);
    expect(await close(first?.private)).toEqual([]);
    expect(revoked()).toEqual([`${CANARY.token}-1`]);
    expect(deadlines).toEqual([8_000]);
  });

  test("is revoked by the end of its session, not by that of another, and once if Close comes with it", async () => {
    const { open, close, provider, context, revoked } = prepare();
    const opened = await open();
    await provider.release?.(sessionOf(BLOCK));
    expect(revoked()).toEqual([]);
    await Promise.all([
      close(opened.private),
      provider.release?.(context.session),
      close(opened.private),
    ]);
    expect(await close(opened.private)).toEqual([]);
    expect(revoked()).toEqual([`${CANARY.token}-1`]);
  });

  test("is revoked at once when the operation was cancelled while it was being issued", async () => {
    const { open, identity, revoked } = prepare();
    const controller = new AbortController();
    identity.onIssue = async () => {
      controller.abort();
      return {};
    };
    const opened = await open(controller.signal);
    expect(brief(opened.diagnostics)).toEqual(["ERR_CANCELLED"]);
    expect(opened).not.toHaveProperty("result");
    expect(revoked()).toEqual([CANARY.token]);
  });

  test("that cannot be revoked is a warning of Close, tried once", async () => {
    const { open, close, identity } = prepare();
    identity.onRevoke = () =>
      Promise.reject(new IamTokensError("ERR_SERVICE_FAILED", "The service answered 503."));
    const opened = await open();
    const diagnostics = await close(opened.private);
    expect(brief(diagnostics)).toEqual([
      "warning A token could not be revoked: it stays valid until it expires",
    ]);
    expect(textOf(diagnostics)).toContain("503");
    expect(textOf(diagnostics)).not.toContain("canary");
    expect(await close(opened.private)).toEqual([]);
  });

  test("that cannot be revoked at the end of a session is logged, and nothing fails", async () => {
    const { open, provider, context, identity } = prepare();
    identity.onRevoke = () => Promise.reject(new Error(CANARY.token));
    await open();
    await expect(provider.release?.(context.session)).resolves.toBeUndefined();
    expect(context.logged.join()).toMatch(/could not be revoked(?!.*canary)/s);
  });

  test("Close of an id that this process does not know succeeds", async () => {
    const { close, revoked } = prepare();
    expect(await close(Buffer.from("id-of-another-process"))).toEqual([]);
    expect(await close(Buffer.from([0xff, 0x00]))).toEqual([]);
    expect(revoked()).toEqual([]);
  });
});
