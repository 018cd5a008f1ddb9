import { nearest } from "../../lib/tokens/nearest";

const KNOWN = ["authUrl", "accountId", "caFile", "baseUrl"];

test.each([
  ["caFiles", "caFile"],
  ["authURL", "authUrl"],
  ["acountId", "accountId"],
  ["Url", undefined],
  ["filecaFile", undefined],
  ["colour", undefined],
  ["x".repeat(100), undefined],
])("the name nearest to %j is %j", (name, meant) => {
  expect(nearest(name, KNOWN)).toBe(meant);
});

test("of several near names the nearest one is meant, wherever it stands", () => {
  const near = ["password_env", "password_fild", "password_file"];
  expect(nearest("pasword_file", near)).toBe("password_file");
  expect(nearest("pasword_file", near.toReversed())).toBe("password_file");
});
