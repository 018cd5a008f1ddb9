import type { IdentityClientOptions } from "../../../lib/identity";
import { createIdentityAccess } from "../../../lib/provider/process/identity-access";
import { CANARY, FakeIdentity, surroundingsOf } from "../fixtures";

const log = () => {};

describe("the identity client of the process", () => {
  test("is made once, at the first use", async () => {
    const made: IdentityClientOptions[] = [];
    const access = createIdentityAccess(surroundingsOf(), (options) => {
      made.push(options);
      return new FakeIdentity();
    });
    expect(made).toHaveLength(0);
    const clients = await Promise.all([access.client(log), access.client(log)]);
    expect(made).toHaveLength(1);
    expect(clients[0]).toBe(clients[1]);
  });

  test("gets proxies and the extra CA file of the environment, and no other variable", async () => {
    const made: IdentityClientOptions[] = [];
    const variables = {
      HTTPS_PROXY: "http://p.test",
      no_proxy: "a",
      OS_PASSWORD: CANARY.password,
      IAM_TOKENS_EXTRA_CA_CERTS: "/ca.pem",
    };
    await createIdentityAccess(surroundingsOf(variables), (options) => {
      made.push(options);
      return new FakeIdentity();
    }).client(log);
    expect(made).toEqual([
      { env: { HTTPS_PROXY: "http://p.test", no_proxy: "a" }, extraCaFile: "/ca.pem", log },
    ]);
  });

  test("is closed if it was opened", async () => {
    const client = new FakeIdentity();
    const access = createIdentityAccess(surroundingsOf(), () => client);
    await access.close();
    expect(client.closed).toBe(0);
    await access.client(log);
    await access.close();
    await access.close();
    expect(client.closed).toBe(1);
  });

  test("is the identity room's by default", async () => {
    const access = createIdentityAccess(surroundingsOf());
    const client = await access.client(log);
    expect(client.constructor.name).toBe("IdentityClient");
    await access.close();
  });
});
