import { inspect } from "node:util";
import { parseSettings } from "../../../lib/testing/config/settings";

const user = { name: "deployer", password: "canary-password" };

function problemOf(config: unknown): string {
  try {
    parseSettings(config);
  } catch (error) {
    expect(error).toMatchObject({ code: "ERR_TESTING_CONFIG_INVALID" });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("canary");
    return (error as { problem: string }).problem;
  }
  throw new Error("The configuration was accepted.");
}

/** A whole configuration, with a mistake. */
const whole = (more: object) => ({ accountId: "1", serviceUsers: [], ...more });

test.each([
  ["nothing", undefined, "(the whole): "],
  [
    "an account number that is a number",
    { accountId: 123456, serviceUsers: [user] },
    "accountId: Invalid input: expected string",
  ],
  [
    "a misspelt name",
    whole({ serviceUsers: [{ ...user, permissions: {} }] }),
    'serviceUsers[0]: Unrecognized key: "permissions"',
  ],
  [
    "an empty password",
    whole({ serviceUsers: [{ ...user, password: "" }] }),
    "serviceUsers[0].password: must not be empty",
  ],
  [
    "projects that are a string",
    whole({ serviceUsers: [{ ...user, permission: { projects: "canary" } }] }),
    "serviceUsers[0].permission.projects: ",
  ],
  [
    "an application credential without id and name",
    whole({ applicationCredentials: [{ user: "x", project: "p", secret: "canary" }] }),
    "applicationCredentials[0]: must have an id or a name",
  ],
  [
    "an end of a credential that is not a time",
    whole({
      applicationCredentials: [
        { id: "c", user: "x", project: "p", secret: "canary", expiresAt: "tomorrow" },
      ],
    }),
    "applicationCredentials[0].expiresAt: must be a time as in 2030-01-31T12:00:00Z",
  ],
  ["a lifetime of zero", whole({ tokenLifetimeSeconds: 0 }), "tokenLifetimeSeconds: "],
  [
    "a catalog that is a whole token body",
    whole({ catalog: { token: { catalog: [] } } }),
    "catalog: Invalid input: expected array",
  ],
])("%s is refused with its path", (_what, config, problem) => {
  expect(problemOf(config)).toContain(problem);
});

test("all mistakes are reported at once", () => {
  const problem = problemOf({ accountId: 1, serviceUsers: [{}], port: -1 });
  for (const path of ["accountId", "serviceUsers[0].name", "serviceUsers[0].password", "port"])
    expect(problem).toContain(`${path}: `);
});

test("omitted settings have their defaults", () => {
  expect(parseSettings({ accountId: "1", serviceUsers: [user] })).toMatchObject({
    port: 0,
    tokenLifetimeSeconds: 86_400,
    accountId: "1",
    serviceUsers: [
      { name: "deployer", enabled: true, permission: { account: false, projects: [] } },
    ],
  });
});
