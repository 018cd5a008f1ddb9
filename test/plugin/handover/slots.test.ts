import childProcess from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSlots, parseClaim } from "../../../lib/plugin/handover/slots";
import { createServerIdentity } from "../../../lib/plugin/tls/server-identity";
import { makeScratch } from "../../support/scratch";

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
  ["one of eleven digits", `12345678901\nmain.cjs\n${certificatePem}`],
  ["no program", `1\n\n${certificatePem}`],
  ["no certificate", "1\nmain.cjs\n"],
  ["an empty one", "1\nmain.cjs\n-----BEGIN CERTIFICATE-----\n=\n-----END CERTIFICATE-----\n"],
  ["half of one", `1\nmain.cjs\n${certificatePem.slice(0, 200)}`],
  ["two", `1\nmain.cjs\n${certificatePem}${certificatePem}`],
  ["a program of two lines", `1\nmain\n.cjs\n${certificatePem}`],
])("%s is not a claim", (_, text) => {
  expect(parseClaim(text)).toBeUndefined();
});

test("in a burst of launches, more slots are made once: two programs would hinder each other", () => {
  const { folder, remove } = makeScratch();
  const names = ["1", "2"];
  for (const name of names) writeFileSync(join(folder, name), "");
  const made = jest.spyOn(childProcess, "execFile").mockImplementation();
  const take = openSlots(folder);
  for (const name of names) take(name)?.end("refused");
  expect(made).toHaveBeenCalledTimes(1);
  remove();
});
