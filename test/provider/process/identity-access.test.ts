import { createIdentityAccess } from "../../../lib/provider/process/identity-access";
import { CANARY, surroundingsOf } from "../fixtures";

const mockMade: unknown[] = [];
let mockClosed = 0;
/** Counts instead of the real client, which knows no counts. */
class MockClient {
  constructor(options: unknown) {
    mockMade.push(options);
  }
  async close() {
    mockClosed += 1;
  }
}
jest.mock("../../../lib/provider/process/load-identity", () => ({
  loadIdentity: () => ({ IdentityClient: MockClient }),
}));

test("the client is made once, with proxies and the settings of CAs alone, and closed once", async () => {
  const log = () => {};
  const variables = {
    HTTPS_PROXY: "http://p.test",
    no_proxy: "a",
    OS_PASSWORD: CANARY.password,
    IAM_TOKENS_EXTRA_CA_CERTS: "/ca.pem",
    SSL_CERT_FILE: "/bundle.pem",
    NODE_USE_SYSTEM_CA: "1",
  };
  const access = createIdentityAccess(surroundingsOf(variables), { remember: false });
  await access.close();
  expect({ mockMade, mockClosed }).toEqual({ mockMade: [], mockClosed: 0 });
  expect(access.client(log)).toBe(access.client(log));
  const { OS_PASSWORD: _, ...env } = variables;
  expect(mockMade).toEqual([{ env, log, remember: false }]);
  await access.close();
  await access.close();
  expect(mockClosed).toBe(1);
});
