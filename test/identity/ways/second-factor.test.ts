import { IdentityClient } from "../../../lib/identity";
import { answer, ScriptedTransport } from "../support/scripted-transport";
import { errorOf, expectNoCanary, httpDate, idle, NOW, requestAt } from "../support/wanted";
import { AT, REQUEST_ID } from "./wishes";

test("a second factor is an error of its own, remembered, without the receipt", async () => {
  // As a real Keystone answers to a right password of a user with rules for several factors.
  const headers = {
    Date: httpDate(NOW),
    "Openstack-Auth-Receipt": "gAAAAABrBJA-CANARY-receipt",
    "x-openstack-request-id": REQUEST_ID,
  };
  const body = { required_auth_methods: [["password", "totp"]] };
  const transport = new ScriptedTransport(answer(401, headers, body));
  const client = new IdentityClient({ transport, now: () => NOW });
  for (const _again of [1, 2]) {
    const error = await errorOf(client.obtain(requestAt(AT), idle()));
    expectNoCanary(error);
    expect(error.code).toBe("ERR_SECOND_FACTOR_REQUIRED");
    expect(error.message).toContain(
      "The credentials were right, but the service requires a second",
    );
    expect(error.message).not.toContain("receipt");
  }
  expect(transport.sent).toHaveLength(1);
});
