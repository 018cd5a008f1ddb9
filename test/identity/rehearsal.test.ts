import net from "node:net";
import { rehearseIssue } from "../../lib/identity";
import { IdentityClient } from "../../lib/identity/identity-client";

test("a rehearsal issues a token of its own, by the real client and transport, and connects to nobody", async () => {
  const connect = jest.spyOn(net, "connect").mockImplementation(() => {
    throw new Error("nobody is to be connected to");
  });
  const obtain = jest.spyOn(IdentityClient.prototype, "obtain");
  try {
    await rehearseIssue(() => Date.UTC(2030, 0, 1));
    await expect(obtain.mock.results[0]?.value).resolves.toMatchObject({
      expiresAt: new Date(Date.UTC(2030, 0, 1, 1)),
    });
    // As most services are reached, so that what TLS needs is got ready, too.
    expect(obtain.mock.calls[0]?.[0].credential.authUrl.tokens).toMatch(/^https:/);
    expect(connect).not.toHaveBeenCalled();
  } finally {
    jest.restoreAllMocks();
  }
});
