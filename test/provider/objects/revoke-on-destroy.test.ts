import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CtyObject, UNKNOWN } from "../../../lib/plugin/cty/value";
import { AUTHORITY } from "../../identity/support/certificates";
import { makeScratch } from "../../support/scratch";
import { BLOCK, brief, CANARY, textOf } from "../fixtures";
import { ACCOUNT, HOUR, opening, prepare, refuses, SERVICE, type Setting, T0 } from "./prepared";

const NOT_REVOKED = "warning A removed IAM token may still be valid";
const REVOKING: CtyObject = { ...ACCOUNT, revoke_on_destroy: true };

/** A state that was created with the usual block, and the provider that destroys it. */
const destroying = async ({
  edit = {},
  ...setting
}: Setting & { readonly edit?: CtyObject } = {}) => {
  const { state } = await prepare().create(REVOKING);
  const prepared = prepare(setting);
  return { ...prepared, destroy: () => prepared.destroy({ ...state, ...edit }) };
};

describe("a destroy with revoke_on_destroy", () => {
  const OTHER = { ...BLOCK, auth_url: "https://other.example.test" };
  const LISTED = { IAM_TOKENS_ALLOWED_AUTH_URLS: BLOCK.auth_url };
  const ELSEWHERE = "https://identity.example.test/elsewhere/v3";
  test.each<[string, CtyObject, boolean, Record<string, string>?, string?]>([
    ["with its credentials", BLOCK, true],
    ["without any", {}, false],
    ["without any, where the list has the address", {}, false, LISTED],
    ["of another path of a listed address", BLOCK, false, LISTED, ELSEWHERE],
    ["with those of another service", OTHER, false],
    ["with unknown ones", { ...BLOCK, auth_url: UNKNOWN }, false],
  ])("%s asks who issued the token, and believes the one who issues now", async (...row) => {
    const [, block, isSure, variables = {}, auth_url = SERVICE] = row;
    const { destroy, identity } = await destroying({ block, variables, edit: { auth_url } });
    const but = isSure ? "" : ", but this configuration issues no tokens there";
    const revoked = await destroy();
    expect(brief(revoked)).toEqual(isSure ? [] : [NOT_REVOKED]);
    if (!isSure)
      expect(textOf(revoked)).toContain(`${auth_url} says that it has revoked it${but}.`);
    identity.onRevoke = async () => "refused";
    const gone = await destroy();
    expect(brief(gone)).toEqual([NOT_REVOKED]);
    expect(textOf(gone)).toContain(`${auth_url} refuses it: it was revoked before`);
    expect(textOf(gone)).toContain(`password was changed${but}.`);
    const sent = { token: CANARY.token, at: auth_url };
    expect(identity.revoked).toMatchObject([sent, sent]);
    expect(identity.requests).toEqual([]);
  });

  test("that is not set asks nothing", async () => {
    const { destroy, identity } = await destroying({ edit: { revoke_on_destroy: null } });
    expect(brief(await destroy())).toEqual(["warning A removed IAM token stays valid"]);
    expect(identity.clients).toBe(0);
  });

  test("of an expired token makes no request, and says so: the state may have been edited", async () => {
    const { destroy, identity, clock } = await destroying();
    clock.now = T0 + 24 * HOUR + 6 * 60_000;
    expect(brief(await destroy())).toEqual([NOT_REVOKED]);
    expect(identity.clients).toBe(0);
    // The clock may be ahead.
    clock.now = T0 + 24 * HOUR + 4 * 60_000;
    await destroy();
    expect(identity.revoked).toHaveLength(1);
  });

  test("of which the service says that it accepts the token, but hides it, is done: with a warning that it lives", async () => {
    const { destroy, identity } = await destroying();
    identity.onRevoke = refuses("ERR_TOKEN_HIDDEN", "It lives.");
    const done = await destroy();
    expect(brief(done)).toEqual([NOT_REVOKED]);
    expect(textOf(done)).toMatch(
      /It lives\. .*stays valid until 2026-01-03T03:04:05Z\.\s+To end it for sure, delete its app/,
    );
  });

  test("that fails is an error, which keeps the resource, and says how to go on", async () => {
    const { destroy, identity } = await destroying();
    identity.onRevoke = refuses("ERR_SERVICE_FAILED");
    const failed = await destroy();
    expect(brief(failed)).toEqual(["ERR_SERVICE_FAILED"]);
    expect(textOf(failed)).toMatch(/may still be valid.*destroy again.*terraform state rm/);
  });

  test("reports a failure in the words of the program, and only the class of an unexpected one", async () => {
    const block = { ...BLOCK, ca_file: "/no/such/file", declared_by: "network/identity" };
    const declared = await destroying({ block });
    expect(textOf(await declared.destroy())).toContain("caFile of network/identity");
    const { destroy, identity, context } = await destroying();
    identity.onRevoke = () => Promise.reject(new RangeError(CANARY.token));
    const said = textOf(await destroy()) + context.logged;
    expect(said).toMatch(/RangeError.*RangeError/s);
    expect(said).not.toContain("canary");
  });

  const EXPIRED = "By the state it has expired, so the service was not asked.";
  const NO_TOKEN = "The state holds no token: it was edited.";
  test("of a state that was edited sends nothing, and says why", async () => {
    const rows: readonly (readonly [CtyObject, string, says: string])[] = [
      [{ auth_url: "http://evil.example.test/v3" }, "ERR_ADDRESS_INVALID", "address in the state"],
      [{ auth_url: null }, "ERR_ADDRESS_INVALID", "address in the state"],
      [{ token: "two\nlines" }, NOT_REVOKED, NO_TOKEN],
      [{ token: "x".repeat(32_769) }, NOT_REVOKED, NO_TOKEN],
      [{ expires_at: "2020-01-01T00:00:00Z" }, NOT_REVOKED, EXPIRED],
    ];
    for (const [edit, expected, says] of rows) {
      const { destroy, identity } = await destroying({ edit });
      const diagnostics = await destroy();
      expect(brief(diagnostics)).toEqual([expected]);
      expect(textOf(diagnostics)).toContain(says);
      expect(identity.clients).toBe(0);
    }
  });

  test("sends nothing to an address that IAM_TOKENS_ALLOWED_AUTH_URLS does not list", async () => {
    const variables = { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://other.example.test" };
    const { destroy, identity } = await destroying({ variables });
    expect(brief(await destroy())).toEqual(["ERR_ADDRESS_NOT_ALLOWED"]);
    expect(identity.clients).toBe(0);
  });

  describe("with a CA of its own", () => {
    const scratch = makeScratch();
    afterAll(() => scratch.remove());
    const file = join(scratch.folder, "ca.pem");
    const ca = AUTHORITY.ca;
    writeFileSync(file, ca);

    test("uses it, and retry_for, from the block or the environment", async () => {
      const rows: readonly Setting[] = [
        { block: { ca_file: file, retry_for: "1m" }, variables: { OS_CACERT: "/other" } },
        { block: { ...BLOCK, ca_file: file, retry_for: "1m" } },
        { block: { retry_for: "1m" }, variables: { OS_CACERT: file } },
      ];
      for (const setting of rows) {
        const { destroy, identity } = await destroying(setting);
        await destroy();
        expect(identity.revoked).toMatchObject([{ tls: { ca }, retryForMs: 60_000 }]);
      }
    });

    test("a refresh and a close use it as well", async () => {
      const block = { ...BLOCK, ca_file: file };
      const { create, refresh, identity } = prepare({ block });
      const { state } = await create({ ...ACCOUNT, verify_at_refresh: true });
      await refresh(state);
      expect(identity.asked).toMatchObject([{ tls: { ca } }]);
      const own = opening({ ...ACCOUNT, revoke_on_close: true }, { block });
      await own.close((await own.open()).private);
      expect(own.identity.revoked).toMatchObject([{ tls: { ca } }]);
    });
  });
});
