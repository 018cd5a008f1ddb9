import { X509Certificate } from "node:crypto";
import fc from "fast-check";
import { derOf, parseClaim } from "../../../lib/plugin/handover/slots";
import { createServerIdentity } from "../../../lib/plugin/tls/server-identity";

const { certificatePem, certificateDer } = createServerIdentity();

test("a claim has the launcher, its program and its client's certificate as TLS will present it", () => {
  const claim = parseClaim(`123\n.terraform/x y/main.cjs\n${certificatePem}\n`);
  expect(claim).toMatchObject({ launcher: 123, program: ".terraform/x y/main.cjs" });
  expect(Buffer.from(claim?.certificate ?? []).equals(certificateDer)).toBe(true);
  expect(new X509Certificate(certificatePem).raw.equals(claim?.certificate ?? Buffer.of())).toBe(
    true,
  );
});

test.each([
  ["nothing", ""],
  ["no process id", `x\nmain.cjs\n${certificatePem}`],
  ["the process id of all", `-1\nmain.cjs\n${certificatePem}`],
  ["no program", `1\n\n${certificatePem}`],
  ["no certificate", "1\nmain.cjs\n"],
  ["half of one", `1\nmain.cjs\n${certificatePem.slice(0, 200)}`],
  ["two", `1\nmain.cjs\n${certificatePem}${certificatePem}`],
  ["a program of two lines", `1\nmain\n.cjs\n${certificatePem}`],
])("%s is no claim", (_, text) => {
  expect(parseClaim(text)).toBeUndefined();
});

test("any text is a claim or none, and never an exception", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      parseClaim(text);
      return derOf(text) === undefined;
    }),
  );
});
