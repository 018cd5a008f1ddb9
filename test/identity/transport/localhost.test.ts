import { type LookupFunction, Server } from "node:net";
import { limitsOf } from "../../../lib/identity";
import { IdentityClient } from "../../../lib/identity/identity-client";
import { HttpTransport } from "../../../lib/identity/transport/http-transport";
import { answerText, RawServer } from "../support/raw-server";
import { idle, requestAt } from "../support/wanted";

test("resolves localhost to this machine, whatever a resolver says", async () => {
  const server = await RawServer.start(({ socket }) =>
    socket.write(answerText("201 Created", ["X-Subject-Token: t"])),
  );
  const asked: string[] = [];
  const lookup: LookupFunction = (name, _options, callback) => {
    asked.push(name);
    callback(new Error("no name may be resolved"), "", 4);
  };
  const transport = new HttpTransport({ limits: limitsOf(), env: {}, now: Date.now, lookup });
  const client = new IdentityClient({ transport, sleep: async () => {} });
  try {
    const { token } = await client.issueOwn(requestAt(`http://localhost:${server.port}`), idle());
    expect(token.reveal()).toBe("t");
    expect(asked).toEqual([]);
  } finally {
    await client.close();
    await server.close();
  }
});

test("finds a service that listens on ::1 only", async () => {
  const server = new Server((socket) =>
    socket.once("data", () => socket.write(answerText("201 Created", ["X-Subject-Token: t"]))),
  );
  const listening = await new Promise<boolean>((done) => {
    server.once("error", () => done(false));
    server.listen(0, "::1", () => done(true));
  });
  // A machine without IPv6 has nothing to find.
  if (!listening) return;
  const { port } = server.address() as { port: number };
  const client = new IdentityClient();
  try {
    expect(
      (await client.issueOwn(requestAt(`http://localhost:${port}`), idle())).token.reveal(),
    ).toBe("t");
  } finally {
    await client.close();
    server.close();
  }
});
