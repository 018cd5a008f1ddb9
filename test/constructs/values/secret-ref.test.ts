import { inspect } from "node:util";
import { SecretRef } from "../../../lib";

test.each([
  ["a literal", SecretRef.fromTerraform("canary-secret")],
  ["a wrong variable name", SecretRef.env("canary-secret")],
  ["a wrong path", SecretRef.file("canary-secret\n")],
  ["a path relative to a drive", SecretRef.file("C:canary-secret")],
])("%s is not even kept", (_what, ref) => {
  expect(inspect(ref, { depth: null, showHidden: true })).not.toContain("canary");
  expect(JSON.stringify(ref)).not.toContain("canary");
});

test.each(["A", "_a1", "SERVICE_USER_PASSWORD"])("%s is a name of a variable", (name) => {
  expect(inspect(SecretRef.env(name))).toContain(name);
});
