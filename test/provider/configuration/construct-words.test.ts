import { inConstructWords } from "../../../lib/provider/configuration/construct-words";
import { PROVIDER_BLOCK } from "../../../lib/provider/credentials/provider-block";
import { BLOCK, IamTokensError, ofProcess, setting, type Text, words } from "../../../lib/tokens";
import { WAYS } from "../../../lib/tokens/ways";

const inWords = (fact: Text) =>
  inConstructWords(new IamTokensError("ERR_SECRET_MISSING", fact), "network/identity").problem;

test("every argument of the provider block has its property", () => {
  const { declared_by: _, ...given } = PROVIDER_BLOCK.attributes;
  const properties = Object.keys(given).map((name) => [name, inWords(setting(name))]);
  expect(Object.fromEntries(properties)).toMatchSnapshot();
});

test.each([
  [
    words`PW (${setting("password_env")} of ${BLOCK})`,
    "PW (serviceUser.password of network/identity)",
  ],
  [words`In ${BLOCK}, ${setting("auth_url")} is open.`, "In network/identity, authUrl is open."],
  [words`${ofProcess("OS_AUTH_URL")} and ${setting("ca_file")}`, "OS_AUTH_URL and caFile"],
  [words`${setting("min_remaining")} is too long`, "minRemaining is too long"],
  [words`${setting("user_name")} is empty`, "serviceUser.name is empty"],
  [
    "The password of the provider block and ca_file.",
    "The password of the provider block and ca_file.",
  ],
])("%s", (fact, expected) => expect(inWords(fact)).toBe(expected));

test.each([
  ["user_name", ["serviceUser.name", "applicationCredential.userName", "serviceUser.name"]],
  // A federation has none of its own.
  [
    "user_domain_id",
    ["serviceUser.domainId", "applicationCredential.userDomainId", "serviceUser.domainId"],
  ],
])("%s has the property of the block's way", (name, properties) => {
  const error = new IamTokensError("ERR_NAME_INVALID", setting(name));
  expect(WAYS.map((way) => inConstructWords(error, "a", way).problem)).toEqual(properties);
});

test("all parts of an error are in the words of the construct", () => {
  const ca = setting("ca_file");
  const parts = { more: ca, allowed: ca, headline: ca, causes: [{ text: ca, likely: true }] };
  const error = new IamTokensError("ERR_TLS_FAILED", ca, parts);
  const { message, headline } = inConstructWords(error, "a");
  expect(message.match(/caFile/g)).toHaveLength(5);
  expect(message).toContain("- Most likely: caFile\n");
  expect(message + headline).not.toContain("ca_file");
});

test("in plain HCL, a second time, and for a foreign error, nothing changes", () => {
  const error = new IamTokensError("ERR_SECRET_MISSING", setting("password_env"));
  expect(inConstructWords(error, undefined)).toBe(error);
  const spelled = inConstructWords(error, "a");
  expect(inConstructWords(spelled, "b")).toBe(spelled);
  const foreign = new TypeError("ca_file");
  expect(inConstructWords(foreign, "a")).toBe(foreign);
});
