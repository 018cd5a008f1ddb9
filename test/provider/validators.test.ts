import { type CtyObject, UNKNOWN, validateWholeBlock } from "../../lib/provider/validators";

test("an argument that Terraform does not know yet is not missing", () => {
  const half: CtyObject = { auth_url: UNKNOWN, account_id: UNKNOWN, user_name: "u" };
  expect(validateWholeBlock({ ...half, password: UNKNOWN })).toEqual([]);
  expect(validateWholeBlock({ ...half, declared_by: "stack/it" })).toMatchObject([
    {
      summary: expect.stringMatching(
        /^stack\/it gives .*serviceUser.name, but lacks the password/i,
      ),
    },
  ]);
});
