import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CtyObject } from "../../../lib/plugin/cty/value";
import { parseAuthUrl, Secret } from "../../../lib/tokens";
import { AUTHORITY } from "../../identity/support/certificates";
import {
  BLOCK,
  CANARY,
  eachIn,
  FakeIdentity,
  readCredentialOf,
  refusalOf,
  surroundingsOf,
  VARIABLES,
} from "../fixtures";

const { client } = AUTHORITY;

let folder: string;
eachIn((own) => {
  folder = own;
  const encrypted = createPrivateKey(client.key).export({
    ...{ format: "pem", type: "pkcs8" },
    ...{ cipher: "aes-128-cbc", passphrase: "x" },
  });
  const der = new X509Certificate(AUTHORITY.ca).raw;
  const files = { ca: AUTHORITY.ca, cert: client.cert, key: client.key, encrypted, der };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  // As /etc/ssl/certs has them: text in an old encoding before the block.
  writeFileSync(
    join(folder, "commented"),
    Buffer.concat([Buffer.from("# F\xe1brica\n", "latin1"), Buffer.from(AUTHORITY.ca)]),
  );
});

const readWith = (files: CtyObject, block: CtyObject = BLOCK) =>
  readCredentialOf(
    { ...block, ...files },
    surroundingsOf({ PATH: process.env.PATH }, { workingFolder: folder }),
  );
const refusal = async (...given: Parameters<typeof readWith>): Promise<string> =>
  (await refusalOf(() => readWith(...given)))?.message ?? "accepted";

test.each<[string, CtyObject]>([
  ["a value", { oidc_token: CANARY.token }],
  ["a command", { oidc_token_command: ["agent", "a b"] }],
])(
  "an identity token is known by its place, and read when it is used: %s",
  async (_place, given) => {
    const { auth_url, account_id } = BLOCK;
    const federation = { auth_url, account_id, identity_provider: "ci", protocol: "openid" };
    const of = async (block: CtyObject) =>
      (await readCredentialOf({ ...federation, ...block }, surroundingsOf())).credential;
    const credential = await of(given);
    const [[name, value] = ["", ""]] = Object.entries(given);
    const placeOf = (each: typeof credential) => {
      const place = "place" in each ? each.place : undefined;
      return place instanceof Secret ? place.reveal() : place;
    };
    expect(placeOf(await of(given))).toEqual(placeOf(credential));
    const other = Array.isArray(value) ? [...value, "x"] : `${String(value)}x`;
    expect(placeOf(await of({ [name]: other }))).not.toEqual(placeOf(credential));
  },
);

describe("the files for TLS", () => {
  test("are read as PEM, the key as a secret", async () => {
    const { tls } = await readWith({ ca_file: "ca", cert_file: "cert", key_file: "key" });
    expect(tls).toMatchObject({ ca: AUTHORITY.ca, cert: client.cert });
    expect(tls?.key?.reveal()).toBe(client.key);
    expect(JSON.stringify(tls)).not.toContain("PRIVATE KEY");
  });

  test("may have comments in any encoding", async () => {
    expect((await readWith({ ca_file: "commented" })).tls?.ca).toContain(AUTHORITY.ca);
  });

  test.each([
    [
      "no CA",
      { ca_file: "./none" },
      'The file "./none" (ca_file of the provider block) does not exist',
    ],
    ["a folder", { ca_file: "." }, "is no regular file"],
    [
      "DER",
      { ca_file: "der" },
      'The file "der" (ca_file of the provider block) cannot be read, or is not whole. Allowed: PEM',
    ],
    [
      "an encrypted key",
      { cert_file: "cert", key_file: "encrypted" },
      'The certificate "cert" (cert_file of the provider block) with the key "encrypted" (key_file of',
    ],
    [
      "no key",
      { cert_file: "cert", key_file: "./none" },
      '"./none" (key_file of the provider block) does not exist',
    ],
  ])("are refused when they cannot be used: %s", async (_what, files, why) => {
    // And no command has been run, which may have asked a person.
    const { password: _, ...others } = BLOCK;
    const message = await refusal(files, { ...others, password_command: ["touch", "ran"] });
    expect(existsSync(join(folder, "ran"))).toBe(false);
    expect(message).toContain(why);
    expect(message).toContain("[ERR_CERTIFICATE_INVALID]");
    expect(message).not.toContain("BEGIN");
  });
});

describe("an address without a version", () => {
  const AT = "https://pipeline.example.test";
  const CLOUD = {
    clouds: {
      it: {
        auth: { auth_url: AT, username: "u", password: CANARY.password, user_domain_name: "1" },
      },
    },
  };
  const RESULT = parseAuthUrl(`${AT}/v3`);
  const LIST = "IAM_TOKENS_ALLOWED_AUTH_URLS";

  /** The address that a credential gets, or the code, and the questions. */
  const asking = async (block: CtyObject, variables: Record<string, string>) => {
    const identity = new FakeIdentity();
    const asked: (string | undefined)[] = [];
    identity.onDiscover = async ({ authUrl }) => {
      asked.push(authUrl.asked);
      return RESULT;
    };
    const surroundings = surroundingsOf(variables, { workingFolder: folder });
    const [outcome] = await Promise.allSettled([readCredentialOf(block, surroundings, identity)]);
    const address =
      outcome.status === "fulfilled" ? outcome.value.credential.authUrl.v3 : outcome.reason.code;
    return [address, ...asked];
  };

  test("is asked of the service if the environment or a cloud gives it, and a block's is not", async () => {
    writeFileSync(join(folder, "clouds.yaml"), JSON.stringify(CLOUD));
    expect(await asking({}, { ...VARIABLES, OS_AUTH_URL: `${AT}/v2.0` })).toEqual([RESULT.v3, AT]);
    expect(await asking({ cloud: "it" }, { [LIST]: RESULT.v3 })).toEqual([RESULT.v3, AT]);
    expect(await asking({ ...BLOCK, auth_url: AT }, {})).toEqual([`${AT}/identity/v3`]);
    expect(await asking({}, { ...VARIABLES, OS_AUTH_URL: `${AT}/v3` })).toEqual([RESULT.v3]);
  });

  test.each([RESULT.v3, AT, `${AT}/v2.0`, `https://other.test ${AT}/`, `${AT}/other`])(
    "is allowed by the answer, or by an entry without a version: %s",
    async (list) => {
      const environment = { ...VARIABLES, OS_AUTH_URL: AT, [LIST]: list };
      expect(await asking({}, environment)).toEqual([RESULT.v3, AT]);
    },
  );

  test.each([
    ["https://other.example.test/v3", []],
    [`${AT}.example/v3`, []],
    // The question is allowed, the answer is not.
    [`${AT}/identity/v3`, [AT]],
    [`${AT}/other/v3`, [AT]],
  ])("is judged before the question, and its answer as well: %s", async (list, asked) => {
    const expected = ["ERR_ADDRESS_NOT_ALLOWED", ...asked];
    expect(await asking({}, { ...VARIABLES, [LIST]: list })).toEqual(expected);
  });
});
