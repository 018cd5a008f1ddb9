import { probe } from "../../lib/identity";
import { serverWith } from "./support/against";
import { answerText } from "./support/raw-server";
import { httpDate } from "./support/wanted";

const NOW = Date.UTC(2026, 0, 1);

async function probing(status: number, headers: readonly string[]) {
  const server = await serverWith(answerText(`${status} Any`, headers));
  const url = `http://127.0.0.1:${server.port}/identity/v3`;
  return { server, reached: await probe(url, { env: {}, now: () => NOW }) };
}

test.each([200, 300, 401, 404, 503])(
  "accepts any answer, even %i, and sends only one request, without a token",
  async (status) => {
    const date = `Date: ${httpDate(NOW - 90_000)}`;
    const { server, reached } = await probing(status, [date, "Location: /x"]);
    expect(reached).toEqual({ status, tookMs: expect.any(Number), clockAheadMs: 90_000 });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.head).toMatch(/^GET \/identity\/v3 (?!.*x-auth-token)/is);
  },
);

test("a service without a Date header has no time", async () => {
  expect((await probing(200, [])).reached.clockAheadMs).toBeUndefined();
});
