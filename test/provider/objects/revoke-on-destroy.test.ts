import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CtyObject, UNKNOWN } from "../../../lib/plugin/cty/value";
import { IamTokensError } from "../../../lib/tokens";
import { AUTHORITY } from "../../identity/support/certificates";
import { makeScratch } from "../../support/scratch";
import { BLOCK, brief, CANARY, textOf } from "../fixtures";
import { ACCOUNT, HOUR, prepare, T0 } from "./rotating-token";

const SERVICE = "https://identity.example.test/identity/v3";
const REVOKING: CtyObject = { ...ACCOUNT, revoke_on_destroy: true };

/** A state that was created with the usual block, and the provider that destroys it. */
const destroying = async ({
  edit = {} as CtyObject,
  ...settings
}: Parameters<typeof prepare>[0] & { edit?: CtyObject } = {}) => {
  const { state } = await prepare().create(REVOKING);
  const { resource, context, identity, clock } = prepare(settings);
  const destroy = () => resource.destroy({ state: { ...state, ...edit } }, context);
  return { destroy, identity, clock, context };
};

describe("a destroy with revoke_on_destroy", () => {
  test.each<[string, CtyObject]>([
    ["with its credentials", BLOCK],
    ["without any", {}],
    ["with those of another service", { ...BLOCK, auth_url: "https://other.example.test" }],
    ["with unknown ones", { ...BLOCK, auth_url: UNKNOWN }],
  ])("%s revokes at the address that issued the token", async (_, block) => {
    const { destroy, identity } = await destroying({ block });
    identity.onRevoke = async () => "gone";
    expect(await destroy()).toEqual([]);
    expect(identity.revoked).toMatchObject([{ token: CANARY.token, at: SERVICE }]);
    expect(identity.requests).toEqual([]);
  });

  test("of an expired token makes no request", async () => {
    const { destroy, identity, clock } = await destroying();
    clock.now = T0 + 24 * HOUR + 6 * 60_000;
    expect(await destroy()).toEqual([]);
    expect(identity.clients).toBe(0);
    // The clock may be ahead.
    clock.now = T0 + 24 * HOUR + 4 * 60_000;
    await destroy();
    expect(identity.revoked).toHaveLength(1);
  });

  test("that fails is an error, which keeps the resource, and says how to go on", async () => {
    const { destroy, identity } = await destroying();
    identity.onRevoke = () =>
      Promise.reject(new IamTokensError("ERR_SERVICE_FAILED", "The service answered 503."));
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

  test.each<[CtyObject, string]>([
    [{ auth_url: "http://evil.example.test/v3" }, "ERR_ADDRESS_INVALID"],
    [{ auth_url: null }, "ERR_ADDRESS_INVALID"],
    [{ token: "two\nlines" }, "warning A removed IAM token was not revoked"],
    [{ token: "x".repeat(8193) }, "warning A removed IAM token was not revoked"],
  ])("of a state that was edited to %j sends nothing: %s", async (edit, expected) => {
    const { destroy, identity } = await destroying({ edit });
    expect(brief(await destroy())).toEqual([expected]);
    expect(identity.clients).toBe(0);
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

    test.each<Parameters<typeof prepare>[0]>([
      { block: { ca_file: file, retry_for: "1m" } },
      { block: { ...BLOCK, ca_file: file, retry_for: "1m" } },
      { block: { retry_for: "1m" }, variables: { OS_CACERT: file } },
    ])("uses it, and retry_for, under %j", async (settings) => {
      const { destroy, identity } = await destroying(settings);
      expect(await destroy()).toEqual([]);
      expect(identity.revoked).toMatchObject([{ tls: { ca }, retryForMs: 60_000 }]);
    });
  });
});
