import { IdentityClient } from "../../../lib/identity";
import { answer, ScriptedTransport } from "../support/scripted-transport";
import { errorOf, expectNoCanary, httpDate, idle, NOW, requestAt } from "../support/wanted";
import { AT, REQUEST_ID } from "./wishes";

const request = requestAt(AT);
const RECEIPT = "gAAAAABrBJA-CANARY-receipt";

/** As a real Keystone answers to a right password of a user with rules for several factors. */
const receipt = (methods: unknown, end: "complete" | "cut" = "complete") =>
  answer(
    401,
    {
      Date: httpDate(NOW),
      "Openstack-Auth-Receipt": RECEIPT,
      "x-openstack-request-id": REQUEST_ID,
    },
    { receipt: { methods: ["password"] }, required_auth_methods: methods },
    { end },
  );

async function failures(step: ReturnType<typeof receipt>, count = 1) {
  const transport = new ScriptedTransport(step);
  const client = new IdentityClient({ transport, now: () => NOW });
  const errors = await Promise.all(
    Array.from({ length: count }, () => errorOf(client.obtain(request, idle()))),
  );
  const [error] = errors;
  if (error === undefined) throw new Error("no error");
  expectNoCanary(error);
  expect(error.message).not.toContain("receipt");
  return { error, transport };
}

test("names the methods that the service accepts, and what a pipeline does instead", async () => {
  const { error } = await failures(
    receipt([
      ["password", "totp"],
      ["password", "openid"],
    ]),
  );
  expect(error.message).toMatchInlineSnapshot(
    `"https://keystone.example/identity/v3/auth/tokens answered 401 (request id req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a01) to service user "deployer" in account "123456", who requested an account token. The credentials were right, but the service requires a second factor. It accepts: password and totp, or password and openid. Sign in with an application credential or the identity token of the CI system, or use a user without a second factor. The request was not repeated. [ERR_SECOND_FACTOR_REQUIRED]"`,
  );
});

test("is one request for a hundred references", async () => {
  const { transport } = await failures(receipt([["password", "totp"]]), 100);
  expect(transport.sent).toHaveLength(1);
});

test.each<[string, unknown]>([
  ["are commands for a terminal", [["\u001b[31mtotp", "::add-mask::x"]]],
  ["are too long", [["x".repeat(33)]]],
  ["are not a list", "totp"],
  ["are missing", undefined],
])("says nothing of methods that %s", async (_name, methods) => {
  const { error } = await failures(receipt(methods));
  expect(error.code).toBe("ERR_SECOND_FACTOR_REQUIRED");
  expect(error.problem).toMatch(/the service requires a second factor\.$/);
});

test("is known by the header alone, however the body ends", async () => {
  const { error } = await failures(receipt([["password", "totp"]], "cut"));
  expect(error.code).toBe("ERR_SECOND_FACTOR_REQUIRED");
});
