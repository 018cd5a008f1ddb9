import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Identity from "../../lib/identity";
import { answerText, at, serverWith } from "../identity/support/against";
import { errorOf, idle } from "../identity/support/wanted";
import { packageRoot } from "../support/project";

// The built one: in a bundle, the message of an assertion takes seconds.
const { IdentityClient }: typeof Identity = createRequire(__filename)(
  join(packageRoot, "dist/terraform/identity.cjs"),
);

test.each([
  "099 X",
  "000 X",
  "101 X",
  "103 Early\r\n\r\nHTTP/1.1 099 X",
  "100 X\r\n\r\nHTTP/1.1 101 X",
])("an answer of %j costs no second of the provider", async (status) => {
  const server = await serverWith(({ socket }) => socket.end(answerText(status)));
  const client = new IdentityClient();
  const request = at(server, { retryForMs: 0 });
  const before = process.cpuUsage();
  const { code } = await errorOf(client.obtain(request, idle()));
  const { user, system } = process.cpuUsage(before);
  await client.close();
  expect(code).toBe("ERR_ANSWER_UNEXPECTED");
  expect(user + system).toBeLessThan(1_000_000);
});
