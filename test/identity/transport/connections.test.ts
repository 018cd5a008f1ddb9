import { against, at, say, TOKEN } from "../support/against";
import { answerText } from "../support/raw-server";
import { errorOf, idle, PASSWORD_CANARY, until } from "../support/wanted";

describe("connections", () => {
  const ok = say(answerText("201 Created", [TOKEN], "{}"));

  test("end with their request, also if the answer has a body that nobody wants", async () => {
    await against(
      (request) =>
        request.number === 1
          ? request.socket.write("HTTP/1.1 404 Not Found\r\nContent-Length: 1000\r\n\r\nx")
          : ok(request),
      async (client, server) => {
        await errorOf(client.obtain(at(server), idle()));
        await until(() => server.open === 0);
        await client.issueOwn(at(server), idle());
        await until(() => server.open === 0);
        expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2]);
      },
    );
  });

  test("are at most 8, for a hundred requests at the same time", async () => {
    let most = 0;
    await against(
      (request) => setImmediate(() => ok(request)),
      async (client, server) => {
        const issue = () => client.issueOwn(at(server), idle());
        const note = () => {
          most = Math.max(most, server.open);
        };
        await Promise.all(Array.from({ length: 100 }, () => issue().then(note)));
        expect(server.requests).toHaveLength(100);
      },
    );
    // As seen by the service, which hears of the end of the former 8 at the same time as of the
    // next ones.
    expect(most).toBeLessThanOrEqual(16);
  });

  test("are at most 8 also when refusals come without the end of their bodies", async () => {
    let most = 0;
    await against(
      say("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n1"),
      async (client, server) => {
        const requests = Array.from({ length: 25 }, (_, number) => {
          const userName = `user-${number}`;
          const { credential, ...rest } = at(server);
          return errorOf(
            client.obtain({ ...rest, credential: { ...credential, userName } }, idle()),
          ).then(({ code }) => {
            most = Math.max(most, server.open);
            return code;
          });
        });
        expect(new Set(await Promise.all(requests))).toEqual(new Set(["ERR_CREDENTIALS_REJECTED"]));
        expect(server.connections).toBe(25);
      },
    );
    // As seen by the service, which hears of the end of the former 8 at the same time as of the
    // next ones.
    expect(most).toBeLessThanOrEqual(16);
  });

  test("carry the request as the spec shows it: one POST, no accept-encoding, the password in the body alone", async () => {
    await against(ok, async (client, server) => {
      await client.obtain(at(server), idle());
      const [request] = server.requests;
      expect(request?.head).toMatch(/^POST \/identity\/v3\/auth\/tokens HTTP\/1\.1\r\n/);
      expect(request?.head.toLowerCase()).toContain("content-type: application/json");
      expect(request?.head.toLowerCase()).not.toContain("encoding");
      expect(request?.head).not.toContain(PASSWORD_CANARY);
      expect(request?.body).toContain(PASSWORD_CANARY);
    });
  });
});
