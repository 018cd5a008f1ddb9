import { warningsOn } from "../../../lib/provider/credentials/openstack-settings";
import { toProviderBlock } from "../../../lib/provider/credentials/provider-block";
import { describeCredentials } from "../../../lib/provider/sources/describe-credentials";
import { surroundingsOf, VARIABLES } from "../fixtures";

const INSECURE =
  "certificate checks cannot be switched off, and stay on. Give the service's CA with OS_CACERT.";

test.each<{ ignored: string[]; insecure: string[]; warnings: object }>([
  { ignored: [], insecure: [], warnings: {} },
  {
    ignored: ["a"],
    insecure: [],
    warnings: { withoutEffect: "In x: a: no effect on token issuing." },
  },
  {
    ignored: ["a", "b"],
    insecure: [],
    warnings: { withoutEffect: "In x: a, b: no effect on token issuing." },
  },
  { ignored: [], insecure: ["c"], warnings: { warning: `In x: c: ${INSECURE}` } },
  {
    ignored: ["a"],
    insecure: ["c", "d"],
    warnings: {
      warning: `In x: c, d: ${INSECURE}`,
      withoutEffect: "In x: a: no effect on token issuing.",
    },
  },
])("warns of $ignored, and $insecure that are insecure: $remarks", ({ warnings, ...given }) => {
  expect(warningsOn("x", given, "OS_CACERT")).toEqual(warnings);
});

const inEnvironment = (variables: Readonly<Record<string, string>>) =>
  describeCredentials(toProviderBlock({}), surroundingsOf({ ...VARIABLES, ...variables }));

test.each<{ id: string; name: string }>([
  { id: "OS_USER_ID", name: "OS_USERNAME" },
  { id: "OS_USER_DOMAIN_ID", name: "OS_USER_DOMAIN_NAME" },
  { id: "OS_DOMAIN_ID", name: "OS_USER_DOMAIN_NAME" },
  { id: "OS_DEFAULT_DOMAIN_ID", name: "OS_USER_DOMAIN_NAME" },
  { id: "OS_PROJECT_DOMAIN_ID", name: "OS_USER_DOMAIN_NAME" },
  { id: "OS_PROJECT_ID", name: "OS_PROJECT_NAME" },
  { id: "OS_TENANT_ID", name: "OS_PROJECT_NAME" },
  { id: "OS_TENANT_NAME", name: "OS_PROJECT_NAME" },
])("$id is refused, and $name named instead", async ({ id, name }) => {
  await expect(inEnvironment({ [id]: "x" })).rejects.toMatchObject({
    code: "ERR_CREDENTIALS_UNSUPPORTED",
    problem: `${id} is set and is not supported; ${name} does the same by name.`,
  });
});

test.each([
  "OS_REGION_NAME",
  "OS_REGIONS",
  "OS_INTERFACE",
  "OS_ENDPOINT_TYPE",
  "OS_IDENTITY_INTERFACE",
  "OS_IDENTITY_ENDPOINT_TYPE",
  "OS_IDENTITY_ENDPOINT_OVERRIDE",
  "OS_API_TIMEOUT",
  "OS_TIMEOUT",
])("%s has no effect, which doctor reports", async (name) => {
  const { withoutEffect } = await inEnvironment({ [name]: "x" });
  expect(withoutEffect).toBe(`In the environment: ${name}: no effect on token issuing.`);
});

test.each<{ variables: Record<string, string>; taken: boolean }>([
  { variables: { OS_AUTH_TYPE: "password" }, taken: true },
  { variables: { OS_AUTH_TYPE: "v3password" }, taken: true },
  { variables: { OS_AUTH_TYPE: "v2password" }, taken: false },
  { variables: { OS_AUTH_TYPE: "v3totp" }, taken: false },
])("with $variables, uses the environment: $taken", async ({ variables, taken }) => {
  const described = inEnvironment(variables);
  if (taken) await expect(described).resolves.not.toHaveProperty("withoutEffect");
  else await expect(described).rejects.toMatchObject({ code: "ERR_CREDENTIALS_UNSUPPORTED" });
});

test.each(["3", "v3", "3.0"])("accepts the version %s of the API", async (text) => {
  const described = await inEnvironment({ OS_IDENTITY_API_VERSION: text });
  expect(described).not.toHaveProperty("withoutEffect");
});

test("another version of the API has no effect, which doctor reports", async () => {
  const { withoutEffect } = await inEnvironment({ OS_IDENTITY_API_VERSION: "2.0" });
  expect(withoutEffect).toContain("OS_IDENTITY_API_VERSION: no effect");
});
