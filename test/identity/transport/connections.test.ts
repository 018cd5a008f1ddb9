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
});
