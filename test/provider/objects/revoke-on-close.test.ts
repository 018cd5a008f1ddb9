import { type CtyValue, UNKNOWN } from "../../../lib/plugin/cty/value";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import { createIdentityAccess } from "../../../lib/provider/process/identity-access";
import { Secret } from "../../../lib/tokens";
import { answer, issued, ScriptedTransport } from "../../identity/support/scripted";
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
import { opening, refuses } from "./prepared";

const ENDS_AT = Date.parse("2026-01-03T03:04:05.999Z");
const CONFIG = { scope: "account", revoke_on_close: true };
const [FIRST, SECOND] = [`${CANARY.token}-1`, `${CANARY.token}-2`];

const own = () => {
  const prepared = opening(CONFIG);
  let issued = 0;
  prepared.identity.onIssue = async () => ({ token: Secret.of(`${CANARY.token}-${++issued}`) });
  return { ...prepared, revoked: () => prepared.identity.revoked.map(({ token }) => token) };
};
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

describe("a token with revoke_on_close", () => {
  test("is not shared, and its private data are only its end and an id", async () => {
    const { open, identity } = own();
    const opened = [await open(), await open()];
    expect(identity.requests.map(({ way }) => way)).toEqual(["issueOwn", "issueOwn"]);
    expect(opened.map((each) => text(each.private))).toEqual([
      `${ENDS_AT} id-1`,
      `${ENDS_AT} id-2`,
    ]);
    expect(opened.map(({ result }) => result?.token)).toEqual([FIRST, SECOND]);
  });

  test("has an id that nobody can guess", async () => {
    const parts = { processContext: surroundingsOf(), identity: new FakeIdentity() };
    const { iam_token } = createIamProvider(parts).ephemeralResources;
    const opened = await iam_token?.open(CONFIG, contextOf(sessionOf(BLOCK)));
    expect(text(opened?.private)).toMatch(/^\d{13} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  test.each<CtyValue>([false, null, UNKNOWN])(
    "is shared and has no id when the argument is %p",
    async (revoke_on_close) => {
      const { open, identity } = own();
      const opened = await open(undefined, { revoke_on_close });
      expect(identity.requests.map(({ way }) => way)).toEqual(["obtain"]);
      expect(text(opened.private)).toBe(`${ENDS_AT} `);
    },
  );

  test("that comes after Terraform has cancelled is revoked before its session ends", async () => {
    let arrive = () => {};
    const transport = new ScriptedTransport(
      () => new Promise((resolve) => (arrive = () => resolve(issued("late")))),
      answer(204),
    );
    const processContext = surroundingsOf();
    const identity = createIdentityAccess(processContext, { transport });
    const provider = createIamProvider({ processContext, identity });
    const session = sessionOf(BLOCK);
    const stop = new AbortController();
    const opening = provider.ephemeralResources.iam_token?.open(
      CONFIG,
      contextOf(session, stop.signal),
    );
    await transport.hasSent(1);
    stop.abort();
    expect(brief((await opening)?.diagnostics)).toEqual(["ERR_CANCELLED"]);
    const released = provider.release?.(session);
    arrive();
    await released;
    expect(transport.sent[1]?.request.headers["x-subject-token"]).toBe("late");
  });

  test("is revoked by Close, once", async () => {
    const { open, close, revoked, deadlines } = own();
    const [first] = [await open(), await open()];
    expect(await close(first.private)).toEqual([]);
    expect(await close(first.private)).toEqual([]);
    expect(revoked()).toEqual([FIRST]);
    expect(deadlines).toEqual([8_000]);
  });

  test("is revoked by the end of its session, not by that of another, and once if Close comes with it", async () => {
    const { open, close, provider, context, revoked } = own();
    const { private: bytes } = await open();
    await provider.release?.(sessionOf(BLOCK));
    expect(revoked()).toEqual([]);
    await Promise.all([close(bytes), provider.release?.(context.session), close(bytes)]);
    expect(await close(bytes)).toEqual([]);
    expect(revoked()).toEqual([FIRST]);
  });

  test("is revoked at once when the operation was cancelled while it was being issued", async () => {
    const { open, identity, revoked } = own();
    const controller = new AbortController();
    identity.onIssue = async () => {
      controller.abort();
      return {};
    };
    const opened = await open(controller.signal);
    expect(brief(opened.diagnostics)).toEqual(["ERR_CANCELLED"]);
    expect(textOf(opened.diagnostics)).toContain("while the token was being issued");
    expect(opened).not.toHaveProperty("result");
    expect(revoked()).toEqual([CANARY.token]);
  });

  test("that cannot be revoked is a warning of Close, tried once", async () => {
    const { open, close, identity } = own();
    identity.onRevoke = refuses("ERR_SERVICE_FAILED");
    const { private: bytes } = await open();
    const diagnostics = await close(bytes);
    expect(brief(diagnostics)).toEqual([
      "warning A token could not be revoked: it stays valid until it expires",
    ]);
    expect(textOf(diagnostics)).toMatch(/503(?!.*canary)/s);
    expect(await close(bytes)).toEqual([]);
  });

  test("that cannot be revoked at the end of a session is logged, and nothing fails", async () => {
    const { open, provider, context, identity } = own();
    identity.onRevoke = () => Promise.reject(new Error(CANARY.token));
    await open();
    await expect(provider.release?.(context.session)).resolves.toBeUndefined();
    expect(context.logged).toEqual(["warn a token could not be revoked { reason: 'Error' }"]);
  });

  test("Close of an id that this process does not know succeeds", async () => {
    const rows = [Buffer.from("id-of-another-process"), Buffer.from([0xff, 0x00])] as const;
    for (const bytes of rows) {
      const { close, revoked } = own();
      expect(await close(bytes)).toEqual([]);
      expect(revoked()).toEqual([]);
    }
  });
});
