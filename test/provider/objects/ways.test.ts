import type { CtyObject } from "../../../lib/plugin/cty/value";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import { IamTokensError } from "../../../lib/tokens";
import {
  BLOCK,
  CANARY,
  contextOf,
  FakeIdentity,
  sessionOf,
  surroundingsOf,
  textOf,
} from "../fixtures";
import { ACCOUNT, prepare } from "./rotating-token";

const APPLICATION_CREDENTIAL = {
  auth_url: BLOCK.auth_url,
  application_credential_id: "a1",
  application_credential_secret: CANARY.password,
};

const openWith = async (block: CtyObject, config: CtyObject, identity = new FakeIdentity()) => {
  const provider = createIamProvider({ processContext: surroundingsOf(), identity });
  const context = contextOf(sessionOf(block));
  return provider.ephemeralResources.iam_token?.open(config, context);
};

describe("an application credential", () => {
  test.each([{ project: null }, { project: "web" }])(
    "needs no name of a project: $project",
    async ({ project }) => {
      const identity = new FakeIdentity();
      const opened = await openWith(
        APPLICATION_CREDENTIAL,
        { scope: "project", project_name: project },
        identity,
      );
      expect(opened?.diagnostics).toEqual([]);
      expect(identity.requests[0]?.request).toMatchObject({
        credential: { way: "application credential", by: { id: "a1" } },
        scope: { kind: "project" },
        expected: { project: project === null ? {} : { name: project } },
      });
    },
  );

  test("in place of a user rotates, with what has changed", async () => {
    const byPassword = prepare();
    const config = { scope: "project", project_name: "web" };
    const { state, private: data } = await byPassword.apply(null, config);
    const { plan } = prepare({ block: APPLICATION_CREDENTIAL });
    const { diagnostics } = await plan(state ?? null, config, data);
    expect(textOf(diagnostics)).toMatch(
      /"account":"123456","user":"deployer".*, and would now be for .*"account":null,"user":"a1"/,
    );
  });
});

test("a command's secret that the service refuses is not asked for again at once", async () => {
  const identity = new FakeIdentity();
  identity.onIssue = async () => {
    throw new IamTokensError("ERR_CREDENTIALS_REJECTED", "No.");
  };
  const { password: _, ...rest } = BLOCK;
  const command = [process.execPath, "-e", "console.log(process.hrtime.bigint())"];
  const provider = createIamProvider({ processContext: surroundingsOf(), identity });
  const context = contextOf(sessionOf({ ...rest, password_command: command }));
  for (let time = 0; time < 2; time++)
    await provider.ephemeralResources.iam_token?.open(ACCOUNT, context);
  const passwords = identity.requests.map(({ request: { credential } }) =>
    credential.way === "password" ? credential.secret.reveal() : "",
  );
  expect(passwords).toHaveLength(2);
  expect(new Set(passwords).size).toBe(1);
});
