import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CtyObject } from "../../../lib/plugin/cty/value";
import { describeCredentials } from "../../../lib/provider/credentials/describe-credentials";
import { toProviderBlock } from "../../../lib/provider/credentials/provider-block";
import type { IamTokensError } from "../../../lib/tokens";
import { variableOfKey } from "../../../lib/tokens/ways";
import { eachIn, refusalOf, surroundingsOf } from "../fixtures";

type Settings = Readonly<Record<string, string>>;

let folder: string;
eachIn((own) => {
  folder = own;
});

/** A right value of each setting that a remedy adds. */
const RIGHT: Settings = {
  ...{ auth_url: "https://i.test/v3", username: "u", password: "p", user_domain_name: "1" },
  ...{ application_credential_id: "a", application_credential_secret: "s" },
  ...{ identity_provider: "i", protocol: "o", access_token: "a.b.c" },
};
const { auth_url = "" } = RIGHT;
const PASSWORD = { auth_url, username: "u", password: "p", user_domain_name: "1" };
const CREDENTIAL = {
  ...{ auth_url, application_credential_id: "a", application_credential_secret: "s" },
  auth_type: "v3applicationcredential",
};
const { auth_type: _, ...UNTYPED } = CREDENTIAL;
const TOKEN = { auth_url, identity_provider: "i", protocol: "o", access_token: "a.b.c" };

const REFUSED: readonly (readonly [what: string, Settings])[] = [
  ...["token", "auth_token", "passcode", "trust_id", "system_scope"].flatMap((key) => [
    [`${key} with a password`, { ...PASSWORD, [key]: "x" }] as const,
    [`${key} with an application credential`, { ...CREDENTIAL, [key]: "x" }] as const,
    [`${key} alone`, { auth_url, [key]: "x" }] as const,
  ]),
  ...["v3token", "v3totp", "v3multifactor", "v3kerberos", "v2password", "none"].map(
    (auth_type) => [`the type ${auth_type}`, { ...PASSWORD, auth_type }] as const,
  ),
  ["a token by its type", { auth_url, auth_type: "token", token: "x" }],
  [
    "all that is refused",
    { ...PASSWORD, token: "x", passcode: "x", trust_id: "x", auth_type: "x" },
  ],
  ["a password and an application credential", { ...PASSWORD, ...UNTYPED }],
  ["a password and an identity token", { ...PASSWORD, ...TOKEN }],
  ["all three ways", { ...PASSWORD, ...UNTYPED, ...TOKEN }],
  ["another type", { ...PASSWORD, auth_type: "v3oidcaccesstoken" }],
];

/** The settings after the next step that a message names; its sources are those of {@link walk}. */
function remedied(settings: Settings, { problem, remedy }: IamTokensError): Settings {
  const keysIn = (text: string): string[] =>
    (text.match(/\b(?:OS_)?[A-Za-z]+(?:_[A-Za-z]+)*\b/g) ?? []).map((name) =>
      name.replace(/^OS_/, "").toLowerCase(),
    );
  const [step = ""] = remedy.split(/(?<=\.) Or |, or /);
  const named = keysIn(/^(?:Unset|Change) the named/.test(step) ? problem : step);
  if (!/^(?:Set|Add) /.test(step))
    return Object.fromEntries(Object.entries(settings).filter(([key]) => !named.includes(key)));
  const added = named.flatMap((key) => (RIGHT[key] === undefined ? [] : [[key, RIGHT[key]]]));
  return { ...settings, ...Object.fromEntries(added) };
}

/** The codes of the answers, until there is none. */
async function walk(
  settings: Settings,
  describe: (settings: Settings) => Promise<unknown>,
): Promise<string[]> {
  const codes: string[] = [];
  for (let now = settings; codes.length < 5; ) {
    const error = await refusalOf(() => describe(now));
    if (error === undefined) break;
    codes.push(error.code.replace("ERR_CREDENTIALS_", ""));
    now = remedied(now, error);
  }
  return codes;
}

const described = (block: CtyObject, variables: Settings = {}) =>
  describeCredentials(toProviderBlock(block), surroundingsOf(variables, { workingFolder: folder }));

const SOURCES = {
  environment: (settings: Settings) => {
    const variables = Object.entries(settings).map(([key, text]) => [variableOfKey(key), text]);
    return described({}, Object.fromEntries(variables));
  },
  "clouds.yaml": ({ auth_type, ...auth }: Settings) => {
    const clouds = { clouds: { it: { auth, auth_type } } };
    writeFileSync(join(folder, "clouds.yaml"), JSON.stringify(clouds));
    return described({ cloud: "it" });
  },
};

describe.each(Object.entries(SOURCES))("in %s", (_source, describe) => {
  test.each(REFUSED)("the remedy for %s ends", async (_what, settings) => {
    const [first, ...others] = await walk(settings, describe);
    expect(first).toMatch(/^(?:UNSUPPORTED|MIXED|MISSING)$/);
    // Then only what is missing is named, once.
    expect(others).toEqual(others.length === 0 ? [] : ["MISSING"]);
  });
});
