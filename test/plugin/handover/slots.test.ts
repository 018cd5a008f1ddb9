import fc from "fast-check";
import { certificateIn, parseClaim } from "../../../lib/plugin/handover/slots";
import { createServerIdentity, toPem } from "../../../lib/plugin/tls/server-identity";
import { expectOften } from "../../support/expect-often";
import { anyCharacter, fuzz } from "../../support/fuzz";

const { certificatePem, certificateDer } = createServerIdentity();

test("a claim has the launcher, its program and its client's certificate as TLS will present it", () => {
  const claim = parseClaim(`123\n.terraform/x y/main.cjs\n${certificatePem}\n`);
  expect(claim).toMatchObject({ launcher: 123, program: ".terraform/x y/main.cjs" });
  expect(claim?.certificate).toBe(Buffer.from(certificateDer).toString("base64"));
});

test.each([
  ["nothing", ""],
  ["no process id", `x\nmain.cjs\n${certificatePem}`],
  ["the process id of all", `-1\nmain.cjs\n${certificatePem}`],
  ["no program", `1\n\n${certificatePem}`],
  ["no certificate", "1\nmain.cjs\n"],
  ["an empty one", "1\nmain.cjs\n-----BEGIN CERTIFICATE-----\n=\n-----END CERTIFICATE-----\n"],
  ["half of one", `1\nmain.cjs\n${certificatePem.slice(0, 200)}`],
  ["two", `1\nmain.cjs\n${certificatePem}${certificatePem}`],
  ["a program of two lines", `1\nmain\n.cjs\n${certificatePem}`],
])("%s is not a claim", (_, text) => {
  expect(parseClaim(text)).toBeUndefined();
});

test("reads any string as a possible claim, or refuses it", () => {
  const line = fc.oneof(
    fc.stringMatching(/^[0-9]{0,12}$/),
    fc.string({ unit: anyCharacter, maxLength: 8 }),
    fc.uint8Array({ minLength: 1, maxLength: 60 }).map(toPem),
    fc.constantFrom("", "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----", "AAAA", "main"),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.constantFrom("\n", "\r\n"), (lines, eol) => {
      const text = lines.join(eol);
      expectOften(certificateIn(text)).toEqual(parseClaim(`1\nx\n${text}`)?.certificate);
      const claim = parseClaim(text);
      if (claim === undefined) return;
      expectOften(claim.launcher).toBeGreaterThan(0);
      expectOften(Number.isSafeInteger(claim.launcher)).toBe(true);
      expectOften(text.startsWith(`${claim.launcher}\n${claim.program}\n`)).toBe(true);
      expectOften(
        parseClaim(
          `${claim.launcher}\n${claim.program}\n${toPem(Buffer.from(claim.certificate, "base64"))}`,
        ),
      ).toEqual(claim);
    }),
    fuzz(5000),
  );
});
