import { against, at, say, TOKEN } from "../support/against";
import { answerText } from "../support/raw-server";
import { errorOf, idle, until } from "../support/wanted";

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

  test("are at most 8, even when refusals come without the end of their bodies", async () => {
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
});
