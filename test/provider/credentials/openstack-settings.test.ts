import { insecureWarning } from "../../../lib/provider/credentials/openstack-settings";
import { toProviderBlock } from "../../../lib/provider/credentials/provider-block";
import { describeCredentials } from "../../../lib/provider/sources/describe-credentials";
import { surroundingsOf, VARIABLES } from "../fixtures";

const INSECURE =
  "certificate checks cannot be switched off, and stay on. Give the service's CA with OS_CACERT.";

test.each<{ settings: string[]; warnings: object }>([
  { settings: [], warnings: {} },
  { settings: ["c"], warnings: { warning: `In x: c: ${INSECURE}` } },
  { settings: ["c", "d"], warnings: { warning: `In x: c, d: ${INSECURE}` } },
])("warns of $settings, which are insecure: $warnings", ({ settings, warnings }) => {
  expect(insecureWarning("x", settings, "OS_CACERT")).toEqual(warnings);
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
  "OS_IDENTITY_API_VERSION",
])("%s has no effect", async (name) => {
  expect(await inEnvironment({ [name]: "x" })).toEqual(await inEnvironment({}));
});

test.each<{ variables: Record<string, string>; taken: boolean }>([
  { variables: { OS_AUTH_TYPE: "password" }, taken: true },
  { variables: { OS_AUTH_TYPE: "v3password" }, taken: true },
  { variables: { OS_AUTH_TYPE: "v2password" }, taken: false },
  { variables: { OS_AUTH_TYPE: "v3totp" }, taken: false },
])("with $variables, uses the environment: $taken", async ({ variables, taken }) => {
  const described = inEnvironment(variables);
  if (taken) expect(await described).toEqual(await inEnvironment({}));
  else
    await expect(described).rejects.toMatchObject({
      code: "ERR_CREDENTIALS_UNSUPPORTED",
      problem: expect.stringMatching(
        /^OS_AUTH_TYPE asks for another way of signing in than password, v3password, v3applicationcredential.* or v3oidcaccesstoken\.$/,
      ),
    });
});

test.each([
  { block: {}, variables: { OS_CLOUD: "envvars" }, problem: 'OS_CLOUD is "envvars"' },
  {
    block: { cloud: "envvars" },
    variables: {},
    problem: 'cloud of the provider block is "envvars"',
  },
  {
    block: { cloud: "mine" },
    variables: { OS_CLOUD_NAME: "mine" },
    problem: 'cloud of the provider block is "mine"',
  },
])("$problem: the name of the variables is no cloud", async ({ block, variables, problem }) => {
  await expect(
    describeCredentials(toProviderBlock(block), surroundingsOf(variables)),
  ).rejects.toMatchObject({
    code: "ERR_CREDENTIALS_UNSUPPORTED",
    problem: `${problem}, a reserved name for the OS_ variables.`,
    remedy: "To use the variables, name no cloud.",
  });
});
