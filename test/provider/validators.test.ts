import {
  blockSource,
  type CtyObject,
  inConstructWords,
  missingIn,
  toProviderBlock,
  UNKNOWN,
  validateIamToken,
  validateProviderBlock,
  validateRotatingToken,
  validateRotation,
  validateStaticToken,
} from "../../lib/provider/validators";
import { brief } from "./fixtures";

test.each([
  [validateProviderBlock, { auth_url: UNKNOWN, user_name: "" }, "ERR_NAME_INVALID at user_name"],
  [
    validateIamToken,
    { scope: UNKNOWN, min_remaining: "1" },
    "ERR_DURATION_INVALID at min_remaining",
  ],
  [
    validateRotatingToken,
    { scope: "account", rotate_when_remaining: "1" },
    "ERR_DURATION_INVALID at rotate_when_remaining",
  ],
  [validateRotation, { rotate_every: "1" }, "ERR_DURATION_INVALID at rotate_every"],
  [validateStaticToken, { env: "1" }, "ERR_SECRET_MISSING on no line"],
])("%p judges a block without Terraform", (validate, config, expected) => {
  expect(brief(validate(config as CtyObject))).toEqual([expected]);
});

test("an argument that Terraform does not know yet is not missing", () => {
  const missing = (config: CtyObject) =>
    inConstructWords(missingIn(blockSource(toProviderBlock(config))), "stack/identity")?.message;
  const half: CtyObject = { auth_url: UNKNOWN, account_id: UNKNOWN, user_name: "u" };
  expect(missing({ ...half, password: UNKNOWN })).toBeUndefined();
  expect(missing(half)).toMatch(
    /^stack\/identity gives authUrl, accountId and serviceUser.name, but lacks the password/i,
  );
});
