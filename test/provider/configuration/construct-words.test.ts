import { inConstructWords, PROPERTIES } from "../../../lib/provider/configuration/construct-words";
import { PROVIDER_BLOCK } from "../../../lib/provider/credentials/provider-block";
import { ERROR_CODES, IamTokensError } from "../../../lib/tokens";

const inWords = (problem: string, remedy = "") =>
  inConstructWords(
    new IamTokensError("ERR_SECRET_MISSING", problem, { remedy }),
    "network/identity",
  ).problem;

test("every argument of the provider block has its property", () => {
  const { package_version: _, declared_by: __, ...given } = PROVIDER_BLOCK.attributes;
  expect(Object.keys(PROPERTIES).sort()).toEqual(Object.keys(given).sort());
});

test.each([
  ["PW (password_env of the provider block)", "PW (serviceUser.password of network/identity)"],
  ["password of the provider block", "serviceUser.password of network/identity"],
  ["The provider block's auth_url is open.", "network/identity's authUrl is open."],
  ["OS_AUTH_URL and ca_file", "OS_AUTH_URL and caFile"],
  ["min_remaining is too long", "minRemaining is too long"],
  ['The file "/ca_file" (ca_file)', 'The file "/ca_file" (caFile)'],
  ['"a \\" ca_file"', '"a \\" ca_file"'],
  ["The password is wrong.", "The password is wrong."],
])("%s", (problem, expected) => expect(inWords(problem)).toBe(expected));

test("code, remedy, allowed values and headline as well", () => {
  const error = new IamTokensError("ERR_TLS_FAILED", "x", {
    allowed: "a ca_file",
    headline: "key_file",
  });
  const { code, remedy, allowed, headline } = inConstructWords(error, "a");
  expect({ code, allowed, headline }).toEqual({
    code: "ERR_TLS_FAILED",
    allowed: "a caFile",
    headline: "keyFile",
  });
  expect(remedy).toBe(ERROR_CODES.ERR_TLS_FAILED.remedy.replace("ca_file", "caFile"));
});

test("in plain HCL, and for a foreign error, nothing changes", () => {
  const error = new IamTokensError("ERR_SECRET_MISSING", "password_env of the provider block");
  expect(inConstructWords(error, undefined)).toBe(error);
  const foreign = new TypeError("ca_file");
  expect(inConstructWords(foreign, "a")).toBe(foreign);
});
