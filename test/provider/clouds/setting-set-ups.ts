import { AUTH, clouds, INVALID, MIXED, project, type SetUp, UNSUPPORTED, withAuth } from "./set-up";

/** Which settings. */
const SETTINGS: readonly SetUp[] = [
  { what: "project_name", ...withAuth("project_name: web\n      project_domain_name: 123456") },
  { what: "a project without its own domain", ...withAuth("project_name: 77") },
  { what: "project_name next to auth", ...project(clouds("    project_name: web")) },
  { what: "an empty project_name", ...withAuth('project_name: ""') },
  {
    what: "domain_name for user and project",
    ...project(
      clouds("", `${AUTH.replace("user_domain_name", "domain_name")}\n      project_name: web`),
    ),
  },
  {
    what: "domain_name alone",
    ...project(clouds("", AUTH.replace("user_domain_name", "domain_name"))),
  },
  {
    what: "everything next to auth",
    ...project(`clouds:\n  prod:${AUTH.replaceAll("\n      ", "\n    ")}\n    project_name: web\n`),
  },
  { what: "- for _", ...project(clouds("", AUTH.replaceAll("_", "-"))) },
  { what: "user_name for username", ...project(clouds("", AUTH.replace("username", "user_name"))) },
  { what: "auth_type: password", ...project(clouds("    auth_type: password")) },
  { what: "auth_type: v3password", ...project(clouds("    auth_type: v3password")) },
  { what: "cacert", ...project(clouds("    cacert: ca.pem")) },
  { what: "cacert in the home folder", ...project(clouds("    cacert: ~/ca.pem")) },
  { what: "cacert with nothing", ...project(clouds("    cacert:")) },
  { what: "cert and key", ...project(clouds("    cert: /c.pem\n    key: keys/k.pem")) },
  {
    what: "region_name, interface and other services' settings",
    ...project(
      clouds(
        "    region_name: R1\n    interface: internal\n    identity_api_version: 3\n    compute_api_version: '2.79'\n    networks: []",
      ),
    ),
  },
  { what: "regions", ...project(clouds("    regions: [R1, R2]")) },
  {
    what: "regions with values of their own",
    ...project(
      clouds("    regions: [{name: R1, values: {auth: {auth_url: 'https://r1.test/v3'}}}]"),
    ),
    refused: [UNSUPPORTED, "no region is selected"],
  },
  {
    what: "cert without key",
    ...project(clouds("    cert: /c.pem")),
    refused: ["ERR_CERTIFICATE_INVALID", "the key is asked for in a file of its own"],
  },
  {
    what: "a vendor profile",
    ...project(clouds("    profile: ovh")),
    refused: [UNSUPPORTED, "does not read profiles"],
    both: "may fail",
  },
  {
    what: "a vendor profile by its old name",
    ...project(clouds("    cloud: ovh")),
    refused: [UNSUPPORTED, "does not read profiles"],
    both: "may fail",
  },
  {
    what: "a profile of clouds-public.yaml",
    files: {
      "project/clouds.yaml": clouds("    profile: mine"),
      "project/clouds-public.yaml": "public-clouds: {mine: {region_name: R}}",
    },
    refused: [UNSUPPORTED, "does not read profiles"],
  },
  {
    what: "an address with a setting put in",
    ...project(clouds("    region_name: r1", AUTH.replace("identity.", "{region_name}."))),
    refused: [UNSUPPORTED, "does not substitute"],
  },
  {
    what: "project_id",
    ...withAuth("project_id: abc"),
    refused: [UNSUPPORTED, "ids cannot be honoured"],
  },
  {
    what: "tenant_name",
    ...withAuth("tenant_name: web"),
    refused: [UNSUPPORTED, "as OS_TENANT_NAME: project_name says it"],
  },
  {
    what: "user_domain_id",
    ...withAuth("user_domain_id: default"),
    refused: [UNSUPPORTED, "ids cannot be honoured"],
  },
  {
    what: "another account for the project",
    ...withAuth("project_name: web\n      project_domain_name: '7'"),
    refused: [UNSUPPORTED, "projects are those of the account"],
  },
  {
    what: "two accounts",
    ...withAuth("domain_name: '7'"),
    refused: [UNSUPPORTED, "there is one account"],
  },
  {
    what: "project_name with nothing",
    ...withAuth("project_name:"),
    refused: [UNSUPPORTED, 'to openstacksdk it is the project "None"'],
  },
  {
    what: "a setting in auth and next to it, with different values",
    ...project(clouds("    user_domain_name: '7'")),
    refused: [INVALID, "one of them is a mistake"],
  },
  {
    what: "an application credential, by its id",
    ...project(
      clouds(
        "    auth_type: v3applicationcredential",
        "\n      auth_url: https://i.test/v3\n      application_credential_id: a\n      application_credential_secret: b",
      ),
    ),
  },
  {
    what: "an application credential, by its name",
    ...project(
      clouds(
        "    auth_type: v3applicationcredential",
        '\n      auth_url: https://i.test/v3\n      username: u\n      user_domain_name: "1"\n      application_credential_name: a\n      application_credential_secret: b',
      ),
    ),
  },
  {
    what: "an identity token",
    ...project(
      clouds(
        "    auth_type: v3oidcaccesstoken",
        '\n      auth_url: https://i.test/v3\n      identity_provider: ci\n      protocol: openid\n      access_token: t\n      project_name: web\n      project_domain_name: "1"',
      ),
    ),
  },
  {
    what: "an application credential beside a password",
    ...project(clouds("", `${AUTH}\n      application_credential_id: a`)),
    refused: [MIXED, "two ways"],
    both: "fail",
  },
  {
    what: "a token",
    ...project(
      clouds(
        "    auth_type: token",
        "\n      auth_url: https://i.test/v3\n      token: canary-token",
      ),
    ),
    refused: [UNSUPPORTED, "a token in a file"],
  },
  {
    what: "a key in auth that nobody knows",
    ...withAuth("colour: red"),
    refused: [UNSUPPORTED, "perhaps misspelt"],
    both: "fail",
  },
  {
    what: "no password",
    ...project(clouds("", AUTH.replace(/\n +password: .*/, ""))),
    refused: ["ERR_CREDENTIALS_MISSING", "openstacksdk fails at the request"],
  },
];

const ALL_FOUR = {
  OS_AUTH_URL: "https://other.test/v3",
  OS_USERNAME: "o",
  OS_PASSWORD: "canary-other",
  OS_USER_DOMAIN_NAME: "9",
};

/** With variables. */
const ENVIRONMENT: readonly SetUp[] = [
  { what: "OS_CLOUD", ...project(clouds()), cloud: null, variables: { OS_CLOUD: "prod" } },
  {
    what: "OS_CLOUD with OS_CLIENT_CONFIG_FILE and OS_REGION_NAME",
    files: { "else/c.yaml": clouds() },
    cloud: null,
    variables: { OS_CLOUD: "prod", OS_CLIENT_CONFIG_FILE: "@/else/c.yaml", OS_REGION_NAME: "R" },
  },
  {
    what: "OS_CLOUD with OS_CACERT, which is not of the cloud",
    ...project(clouds()),
    cloud: null,
    variables: { OS_CLOUD: "prod", OS_CACERT: "/ca.pem" },
  },
  {
    what: "OS_CLOUD with OS_PASSWORD",
    ...project(clouds()),
    cloud: null,
    variables: { OS_CLOUD: "prod", OS_PASSWORD: "canary-other" },
    refused: [MIXED, "openstacksdk ignores it, the openstack command lets it win"],
  },
  {
    what: "a cloud of the block with everything in the environment",
    ...project(clouds()),
    variables: {
      OS_AUTH_URL: "https://other.test/v3",
      OS_USERNAME: "o",
      OS_PASSWORD: "canary-other",
      OS_USER_DOMAIN_NAME: "9",
      OS_PROJECT_NAME: "o",
    },
  },
  {
    what: "a cloud of the block over OS_CLOUD",
    ...project(`${clouds()}  other: {}\n`),
    variables: { OS_CLOUD: "other" },
  },
  {
    what: "variables without OS_CLOUD, next to a file",
    ...project(clouds()),
    cloud: null,
    variables: {
      OS_AUTH_URL: "https://other.test/v3",
      OS_USERNAME: "o",
      OS_PASSWORD: "canary-other",
      OS_USER_DOMAIN_NAME: "9",
      OS_PROJECT_NAME: "web",
      OS_CACERT: "/ca.pem",
    },
  },
  {
    what: "a client certificate by variables, checks switched off",
    cloud: null,
    variables: {
      ...ALL_FOUR,
      OS_CERT: "/cert.pem",
      OS_KEY: "/key.pem",
      OS_INSECURE: "true",
      OS_REGION_NAME: "R",
    },
  },
  {
    what: "a client certificate by a variable, without its key",
    cloud: null,
    variables: { ...ALL_FOUR, OS_CERT: "/cert.pem" },
    refused: ["ERR_CERTIFICATE_INVALID", "the key is asked for"],
  },
  {
    what: "OS_TOKEN next to a password",
    cloud: null,
    variables: { ...ALL_FOUR, OS_TOKEN: "canary-token" },
    refused: [UNSUPPORTED, "a token"],
    both: "fail",
  },
  {
    what: "OS_TRUST_ID",
    cloud: null,
    variables: { ...ALL_FOUR, OS_TRUST_ID: "t" },
    refused: [UNSUPPORTED, "another scope"],
  },
  {
    what: "no OS_CLOUD and a file with one cloud",
    ...project(clouds()),
    cloud: null,
    refused: ["ERR_CREDENTIALS_MISSING", "nobody named the cloud"],
  },
  {
    what: "OS_CLOUD=envvars",
    cloud: null,
    variables: {
      OS_CLOUD: "envvars",
      OS_AUTH_URL: "https://other.test/v3",
      OS_USERNAME: "o",
      OS_PASSWORD: "p",
      OS_USER_DOMAIN_NAME: "9",
    },
    refused: [MIXED, "leaving OS_CLOUD out says the same"],
  },
  {
    what: "a block that names envvars",
    cloud: "envvars",
    variables: {
      OS_AUTH_URL: "https://other.test/v3",
      OS_USERNAME: "o",
      OS_PASSWORD: "p",
      OS_USER_DOMAIN_NAME: "9",
    },
    refused: [UNSUPPORTED, "leaving cloud out says the same"],
  },
  {
    what: "a cloud that is named as the variables are",
    ...project(clouds()),
    variables: { OS_CLOUD_NAME: "prod" },
    refused: [UNSUPPORTED, "the name stands for two things"],
    both: "fail",
  },
];

export const SETTING_SET_UPS: readonly SetUp[] = [...SETTINGS, ...ENVIRONMENT];
