import { createIdentityAccess } from "../../../lib/provider/process/identity-access";
import { loadIdentity } from "../../../lib/provider/process/load-part";
import { CANARY, surroundingsOf } from "../fixtures";

const log = () => {};

test("the identity client is made once, with proxies and the extra CA file, and closed once", async () => {
  const made = jest.spyOn(loadIdentity(), "IdentityClient");
  const variables = {
    HTTPS_PROXY: "http://p.test",
    no_proxy: "a",
    OS_PASSWORD: CANARY.password,
    IAM_TOKENS_EXTRA_CA_CERTS: "/ca.pem",
  };
  const access = createIdentityAccess(surroundingsOf(variables), () => ({ remember: false }));
  await access.close();
  expect(made).not.toHaveBeenCalled();
  const client = access.client(log);
  expect(access.client(log)).toBe(client);
  expect(made.mock.calls).toEqual([
    [
      {
        env: { HTTPS_PROXY: "http://p.test", no_proxy: "a" },
        extraCaFile: "/ca.pem",
        log,
        remember: false,
      },
    ],
  ]);
  const closed = jest.spyOn(client, "close");
  await access.close();
  await access.close();
  expect(closed).toHaveBeenCalledTimes(1);
});
