import { similarVariable } from "../../../lib/provider/secrets/similar-variable";

const NOT_SET = "SERVICE_USER_PASSWORD";

test.each([
  "SERVICE_PASSWORD",
  "USER_PASSWORD",
  "TF_VAR_SERVICE_USER_PASSWORD",
  "SERVICE_USER_PASWORD",
  "SERVICE_USER_PASSWROD",
  "SERVICE_USER_PASSWORDS",
  "SERVICEUSER_PASSWORD",
  "service_user_password",
  "SERVICE_USER_PASS",
  "SERVICE_USER_PWD",
])("%s is similar", (name) => {
  expect(similarVariable(NOT_SET, { HOME: "/", PATH: "/bin", [name]: "x" })).toBe(name);
});

test.each([
  "SERVICE_USER",
  "SERVICE_USER_NAME",
  "SERVICE_USER_PASSWORD_FILE",
  "PASSWORD",
  "OS_PASSWORD",
  "OTHER_USER_PASSWORD",
  NOT_SET,
])("%s is not", (name) => {
  expect(similarVariable(NOT_SET, { HOME: "/", [name]: "x" })).toBeUndefined();
});

test("one of two that are numbered, an empty one, and a shell's function are not", () => {
  expect(similarVariable("DB1_PASSWORD", { DB2_PASSWORD: "x" })).toBeUndefined();
  expect(similarVariable(NOT_SET, { SERVICE_PASSWORD: "" })).toBeUndefined();
  expect(similarVariable(NOT_SET, { "SERVICE_USER_PASSWORD%": "x" })).toBeUndefined();
});

test.each<{ name: string; set: readonly string[]; means: string | undefined }>([
  { name: "ABCDE", set: ["ABCDF"], means: undefined },
  { name: "ABCDEF", set: ["ABCDEG"], means: "ABCDEG" },
  { name: "ABCDEF", set: ["ABCDGH"], means: undefined },
  { name: "ABCDEFGHIJKLMNOP", set: ["ABCDEFGHIJKLMNXY"], means: "ABCDEFGHIJKLMNXY" },
  { name: "ABCDEFGHIJKLMNOP", set: ["ABCDEFGHIJKLMXYZ"], means: undefined },
  { name: "A_B_C_D_E_F", set: ["ABCDEG"], means: "ABCDEG" },
  { name: "KEY12ABC", set: ["KEY1ABC"], means: undefined },
  { name: "KEY1AB2C", set: ["KEY12ABC"], means: undefined },
  { name: "KEY1AB2C", set: ["KEY1ABX2C"], means: "KEY1ABX2C" },
  { name: "TOKEN", set: ["STATIC_TOKEN"], means: undefined },
  { name: "STATIC_TOKEN", set: ["TOKEN"], means: undefined },
  { name: "DNS_TOKEN", set: ["DNS_STATIC_TOKEN"], means: "DNS_STATIC_TOKEN" },
  { name: "DNS_STATIC_TOKEN", set: ["DNS_TOKEN"], means: "DNS_TOKEN" },
  { name: "DNS_STATIC_TOKEN", set: ["WEB_TOKEN"], means: undefined },
  { name: "CI_PASS", set: ["CI_PASSWORD"], means: "CI_PASSWORD" },
  { name: "CI_PASSWD", set: ["MY_CI_PWD"], means: "MY_CI_PWD" },
  { name: "CI_PASS_FILE", set: ["CI_PASSWORD_FILE"], means: undefined },
  { name: "DNS_TOKEN", set: ["WEB_DNS_TOKEN", "MY_DNS_TOKEN"], means: "MY_DNS_TOKEN" },
])("$name of $set: $means", ({ name, set, means }) => {
  const variables = Object.fromEntries(set.map((one) => [one, "x"]));
  expect(similarVariable(name, variables)).toBe(means);
});
