import { Mistakes } from "../../../lib/constructs/props/mistakes";
import { checkProps } from "../../../lib/constructs/props/props";

const KNOWN = ["authUrl", "accountId", "caFile", "baseUrl"];

test("the error about a misspelt property suggests the right one, about any other lists all", () => {
  const mistakes = new Mistakes();
  checkProps({ caFiles: 1, colour: 2 }, KNOWN, mistakes);
  expect(mistakes.messages).toEqual([
    'There is no property "caFiles". Allowed: authUrl, accountId, caFile, baseUrl. Correct the property. [ERR_PROP_INVALID]',
    'There is no property "colour". Allowed: authUrl, accountId, caFile, baseUrl. Correct the property. [ERR_PROP_INVALID]',
  ]);
});
