import { nearest } from "../../lib/tokens/nearest";

const KNOWN = ["authUrl", "accountId", "caFile", "baseUrl"];

test.each([
  ["caFiles", "caFile"],
  ["authURL", "authUrl"],
  ["acountId", "accountId"],
  ["colour", undefined],
  ["x".repeat(100), undefined],
])("the name nearest to %j is %j", (name, meant) => {
  expect(nearest(name, KNOWN)).toBe(meant);
});
