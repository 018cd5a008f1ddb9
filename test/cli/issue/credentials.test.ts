import { describeForCommand } from "../../../lib/cli/issue/credentials";
import { IamTokensError } from "../../../lib/tokens";
import { CANARY, surroundingsOf } from "../../provider/fixtures";

const SERVICE = { OS_AUTH_URL: "https://identity.example.test", OS_USER_DOMAIN_NAME: "123456" };
const BY_NAME = { ...SERVICE, OS_USERNAME: "u", OS_APPLICATION_CREDENTIAL_NAME: "ci" };

const describeWith = (variables: Record<string, string>) =>
  describeForCommand({}, surroundingsOf(variables), async () => undefined).catch((error) =>
    IamTokensError.is(error) ? error.message : Promise.reject(error),
  );

test.each<{ way: string; variables: Record<string, string> }>([
  { way: "password", variables: { ...SERVICE, OS_USERNAME: "u", OS_PASSWORD: CANARY.password } },
  {
    way: "application credential",
    variables: { ...BY_NAME, OS_APPLICATION_CREDENTIAL_SECRET: CANARY.password },
  },
  {
    way: "identity token",
    variables: {
      ...SERVICE,
      OS_IDENTITY_PROVIDER: "ci",
      OS_PROTOCOL: "openid",
      OS_ACCESS_TOKEN: CANARY.token,
    },
  },
])("the environment signs in with: $way", async ({ way, variables }) => {
  expect(await describeWith(variables)).toMatchObject({ way, secret: { kind: "env" } });
});

test("half a way without a password asks for no password", async () => {
  expect(await describeWith(BY_NAME)).toMatch(
    /but not OS_APPLICATION_CREDENTIAL_SECRET\. .*\[ERR_CREDENTIALS_MISSING\]$/,
  );
});
