import { knownArguments } from "../../lib/resolution/job";

test("strings, flags and lists are as Terraform would see them, without omitted arguments", () => {
  const given = { a: "1$${x}2%%{y}", b: true, c: ["x", "y"], d: undefined, e: null };
  const known = { a: "1${x}2%{y}", b: true, c: ["x", "y"] };
  expect(knownArguments(given)).toStrictEqual(known);
});

test.each([
  "${var.x}",
  "a${b}",
  "%{ if x }",
  "${path.root}/${var.x}",
  "${path.module}/x",
  "${path.root}",
])("%s is left to Terraform", (text) => {
  expect(() => knownArguments({ password_file: text })).toThrow(
    /password_file .*ERR_RESOLUTION_UNKNOWN/,
  );
  expect(() => knownArguments({ destinations: ["https://a.test", text] })).toThrow(/destinations /);
});
