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
