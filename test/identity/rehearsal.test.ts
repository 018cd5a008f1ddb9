import net from "node:net";
import { createSecureContext } from "node:tls";
import { rehearseIssue } from "../../lib/identity";
import { IdentityClient } from "../../lib/identity/identity-client";
// Loaded with the first request, else: jest may take longer to translate it than a request may
// take.
import "../../lib/identity/transport/single-use-client";

jest.mock("node:tls", () => {
  const tls = jest.requireActual("node:tls");
  return { ...tls, createSecureContext: jest.fn(tls.createSecureContext) };
});

test.each([false, true])(
  "a rehearsal (https: %p) issues a token of its own, by the real client and transport, and connects to no service",
  async (secure) => {
    const connect = jest.spyOn(net, "connect").mockImplementation(() => {
      throw new Error("nobody is to be connected to");
    });
    const obtain = jest.spyOn(IdentityClient.prototype, "obtain");
    try {
      await rehearseIssue({ secure, now: () => Date.UTC(2030, 0, 1), timeoutMs: 60_000 });
      await expect(obtain.mock.results[0]?.value).resolves.toMatchObject({
        expiresAt: new Date(Date.UTC(2030, 0, 1, 1)),
      });
      // The first one reads the public authorities.
      expect(createSecureContext).toHaveBeenCalledTimes(secure ? 1 : 0);
      expect(connect).not.toHaveBeenCalled();
    } finally {
      jest.restoreAllMocks();
    }
  },
);
