import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CtyType } from "../../../lib/plugin/cty/value";
import type { BlockSchema } from "../../../lib/plugin/provider";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import { surroundingsOf } from "../fixtures";

const provider = createIamProvider({ processContext: surroundingsOf() });

/** Names of arguments and attributes; `!` marks required, `*` sensitive. */
const outline = ({ attributes }: BlockSchema) => {
  const names = (wanted: boolean): string =>
    Object.entries(attributes)
      .filter(([, attribute]) => (attribute.computed ?? false) === wanted)
      .map(
        ([name, { required, sensitive }]) => `${name}${required ? "!" : ""}${sensitive ? "*" : ""}`,
      )
      .join(" ");
  return { arguments: names(false), attributes: names(true) };
};

const IAM_ATTRIBUTES = "token* header_name headers* kind issued_at expires_at fingerprint auth_url";
const STATIC_ATTRIBUTES = "token* header_name headers* kind fingerprint";

describe("the contract's names", () => {
  test("are those of the provider block", () => {
    expect(outline(provider.schema)).toEqual({
      arguments:
        "auth_url account_id user_name password* password_env password_file password_command application_credential_id application_credential_name application_credential_secret* application_credential_secret_env application_credential_secret_file application_credential_secret_command identity_provider protocol oidc_token* oidc_token_env oidc_token_file oidc_token_command oidc_audience cloud clouds_folder base_url ca_file cert_file key_file retry_for package_version declared_by",
      attributes: "",
    });
  });

  test.each([
    [
      "ephemeral iam_token",
      provider.ephemeralResources.iam_token,
      "scope! project_name min_remaining destinations revoke_on_close",
      IAM_ATTRIBUTES,
    ],
    [
      "data iam_token",
      provider.dataSources.iam_token,
      "scope! project_name min_remaining destinations",
      IAM_ATTRIBUTES,
    ],
    [
      "ephemeral iam_static_token",
      provider.ephemeralResources.iam_static_token,
      "env file value* destinations base_url",
      STATIC_ATTRIBUTES,
    ],
    [
      "data iam_static_token",
      provider.dataSources.iam_static_token,
      "env file value* destinations base_url accept_in_state",
      STATIC_ATTRIBUTES,
    ],
    [
      "resource iam_token",
      provider.resources?.iam_token,
      "scope! project_name min_remaining destinations rotate_when_remaining keepers revoke_on_destroy",
      `${IAM_ATTRIBUTES} id rotation`,
    ],
    [
      "resource iam_rotation",
      provider.resources?.iam_rotation,
      "rotate_every! keepers",
      "id rotation rotated_at rotate_at",
    ],
  ])("are those of %s", (_name, object, args, attributes) => {
    expect(object && outline(object.schema)).toEqual({ arguments: args, attributes });
  });

  test("are complete", () => {
    expect(Object.keys(provider.ephemeralResources)).toEqual(["iam_token", "iam_static_token"]);
    expect(Object.keys(provider.resources ?? {})).toEqual(["iam_token", "iam_rotation"]);
    expect(Object.keys(provider.dataSources)).toEqual(["iam_token", "iam_static_token"]);
  });
});

const { resources = {}, ephemeralResources, dataSources } = provider;
const BLOCKS: readonly { readonly schema: BlockSchema }[] = [
  provider,
  ...[resources, ephemeralResources, dataSources].flatMap((each) =>
    Object.values<{ readonly schema: BlockSchema }>(each),
  ),
];

test("every attribute is described, and is exactly one of required, optional and computed", () => {
  for (const { schema } of BLOCKS) {
    expect(schema.description).toMatch(/\.$/);
    for (const attribute of Object.values(schema.attributes)) {
      expect(attribute.description).toMatch(/^\S.*\.$/);
      expect(
        [attribute.required, attribute.optional, attribute.computed].filter(Boolean),
      ).toHaveLength(1);
    }
  }
});

/** Attributes that are not strings, at any depth. */
const TYPES: Readonly<Record<string, CtyType>> = {
  accept_in_state: "bool",
  application_credential_secret_command: ["list", "string"],
  destinations: ["set", "string"],
  headers: ["map", "string"],
  keepers: ["map", "string"],
  oidc_token_command: ["list", "string"],
  password_command: ["list", "string"],
  revoke_on_close: "bool",
  revoke_on_destroy: "bool",
  rotation: "number",
};

test("every attribute has one type in all objects", () => {
  for (const { schema } of BLOCKS)
    for (const [name, { type }] of Object.entries(schema.attributes))
      expect([name, type]).toEqual([name, TYPES[name] ?? "string"]);
});

test("the state has a version of its layout from the start", () => {
  expect(Object.values(provider.resources ?? {}).map(({ schema }) => schema.version)).toEqual([
    1, 1,
  ]);
});

test("the file of names imports nothing: constructs load it", () => {
  const names = readFileSync(join(__dirname, "../../../lib/provider/names.ts"), "utf8");
  expect(names).toContain("export const IAM_TOKEN");
  expect(names).not.toMatch(/\bimport\b|\brequire\b|\bfrom\b "/);
});
