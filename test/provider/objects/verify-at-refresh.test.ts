import { type CtyObject, UNKNOWN } from "../../../lib/plugin/cty/value";
import { BLOCK, brief, CANARY, textOf } from "../fixtures";
import { ACCOUNT, gist, HOUR, prepare, ROTATES, refuses, SERVICE, type Setting } from "./prepared";

const VERIFIED: CtyObject = { ...ACCOUNT, verify_at_refresh: true };
const NOT_VERIFIED =
  "warning Whether the service still knows a stored token could not be verified: nothing changes";
const unanswered = refuses("ERR_CONNECTION_FAILED", "The connection failed.");

const created = async (setting: Setting = {}, config = VERIFIED) => {
  const { state, privateData: before } = await prepare().create(config);
  const prepared = prepare(setting);
  const read = (prior: CtyObject = state) => prepared.refresh(prior, before);
  return { ...prepared, state, before, read };
};

describe("with verify_at_refresh, a refresh", () => {
  test.each<[string, CtyObject]>([
    ["with its credentials", BLOCK],
    ["without any", {}],
  ])(
    "%s asks the service once, by the token itself, and keeps a token that it knows",
    async (...row) => {
      const { read, plan, state, before, identity } = await created({ block: row[1] });
      expect(await read()).toEqual({ private: before });
      expect(identity.asked).toEqual([{ token: CANARY.token, at: SERVICE, tls: undefined }]);
      expect(identity.requests).toEqual([]);
      if (row[1] === BLOCK)
        expect(await plan(state, VERIFIED, before)).toEqual({ planned: state, diagnostics: [] });
    },
  );

  test("ends the token that is gone in the state, and says so: a plan then rotates it", async () => {
    const { read, plan, apply, state, before, identity, clock } = await created();
    identity.onValidate = async () => "refused";
    clock.now += HOUR;
    const { private: after, state: now, diagnostics } = await read();
    expect(brief(diagnostics)).toEqual(["warning The service refuses a stored token"]);
    expect(after).toEqual(before);
    // Terraform shows it as a change; its users keep the token.
    expect(now).toEqual({ ...state, expires_at: "2026-01-02T04:04:05Z", rotate_at: null });
    const planned = await plan(now ?? null, VERIFIED, before);
    expect(gist(planned, state)).toEqual(ROTATES);
    identity.onIssue = unanswered;
    const failed = await apply(now ?? null, VERIFIED, before);
    expect(textOf(failed.diagnostics)).toContain("previous token. That token has expired, or is");
    identity.onIssue = async () => ({});
    const applied = await apply(now ?? null, VERIFIED, before);
    expect(applied.state).toMatchObject({ id: "id-1", rotation: 2 });
  });

  test("of a token that is due, or that was never to be verified, asks nothing", async () => {
    const due = await created();
    due.clock.now += 13 * HOUR;
    await expect(due.read()).resolves.not.toHaveProperty("diagnostics");
    const off = await created({}, ACCOUNT);
    await off.read();
    expect([due.identity.clients, off.identity.clients]).toEqual([0, 0]);
  });

  test("cannot ask in the run that switches it on: the plan does, and rotates what is gone", async () => {
    const { plan, apply, state, before, identity } = await created({}, ACCOUNT);
    expect((await plan(state, VERIFIED, before)).planned).toEqual({ ...state, ...VERIFIED });
    identity.onValidate = unanswered;
    const { planned, diagnostics } = await plan(state, VERIFIED, before);
    expect([planned?.rotation, brief(diagnostics)]).toEqual([1, [NOT_VERIFIED]]);
    identity.onValidate = async () => "refused";
    // The second plan may hear another answer.
    const refused = await plan(state, { ...ACCOUNT, verify_at_refresh: UNKNOWN }, before);
    expect(refused.planned).toMatchObject({ rotation: UNKNOWN });
    expect(textOf(refused.diagnostics)).not.toContain("stays valid");
    expect((await apply(state, VERIFIED, before)).state).toMatchObject({ rotation: 2 });
    expect((await plan(state, ACCOUNT, before)).planned).toEqual(state);
    expect(identity.asked).toHaveLength(4);
  });

  test.each<[string, Setting, edit: CtyObject, says: string]>([
    ["an address in no list", { variables: { IAM_TOKENS_ALLOWED_AUTH_URLS: "" } }, {}, "list"],
    ["a wrong address", {}, { auth_url: "http://evil.example.test/v3" }, "https"],
    ["no address", {}, { auth_url: null }, "address in the state"],
    ["a CA file that is missing", { block: { ca_file: "/etc/no-such" } }, {}, "/etc/no-such"],
  ])("sends nothing to %s: a warning", async (_, settings, edit, says) => {
    const { read, state, before, identity } = await created(settings);
    const { private: after, diagnostics } = await read({ ...state, ...edit });
    expect(after).toEqual(before);
    expect(brief(diagnostics)).toEqual([NOT_VERIFIED]);
    expect(textOf(diagnostics)).toContain(says);
    expect(identity.asked).toEqual([]);
  });

  test("repeats no token of the state, even if its address has it", async () => {
    const { read, state } = await created();
    const token = "Stored-0123456789-in-the-address";
    const own = { token, headers: { "X-Auth-Token": token }, fingerprint: null };
    const auth_url = `https://a.test/${token};/v3`;
    const { diagnostics } = await read({ ...state, ...own, auth_url });
    expect(textOf(diagnostics)).toContain('"https://a.test/(sensitive);/v3"');
  });

  test.each(["ERR_NO_ANSWER", "ERR_REQUEST_REFUSED"] as const)(
    "without an answer about the token (%s) is a warning, and changes nothing",
    async (code) => {
      const { read, before, identity } = await created();
      identity.onValidate = refuses(code);
      const { private: after, diagnostics } = await read();
      expect(after).toEqual(before);
      expect(brief(diagnostics)).toEqual([NOT_VERIFIED]);
    },
  );
});
