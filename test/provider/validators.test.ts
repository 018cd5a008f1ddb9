import {
  type CtyObject,
  inConstructWords,
  missingIn,
  toProviderBlock,
  UNKNOWN,
} from "../../lib/provider/validators";

test("an argument that Terraform does not know yet is not missing", () => {
  const missing = (config: CtyObject) =>
    inConstructWords(missingIn(toProviderBlock(config)), "stack/identity")?.message;
  const half: CtyObject = { auth_url: UNKNOWN, account_id: UNKNOWN, user_name: "u" };
  expect(missing({ ...half, password: UNKNOWN })).toBeUndefined();
  expect(missing(half)).toMatch(
    /^stack\/identity gives authUrl, accountId and serviceUser.name, but lacks the password/i,
  );
});
