import { BLOCK, CANARY, passwordIn, textOf } from "../fixtures";
import { ACCOUNT, opening, prepare, providerWith, refuses, type Setting, WEB } from "./prepared";

const APPLICATION_CREDENTIAL = {
  auth_url: BLOCK.auth_url,
  application_credential_id: "a1",
  application_credential_secret: CANARY.password,
};

describe("an application credential", () => {
  const FROM_VARIABLES = {
    OS_AUTH_URL: BLOCK.auth_url,
    OS_AUTH_TYPE: "v3applicationcredential",
    OS_APPLICATION_CREDENTIAL_ID: "a1",
    OS_APPLICATION_CREDENTIAL_SECRET: CANARY.password,
  };
  test("needs no name of a project", async () => {
    const rows: readonly (readonly [Setting, given: string | null, project: string | null])[] = [
      [{ block: APPLICATION_CREDENTIAL }, null, null],
      [{ block: APPLICATION_CREDENTIAL }, "web", "web"],
      [{ block: {}, variables: { ...FROM_VARIABLES, OS_PROJECT_NAME: "shop" } }, null, "shop"],
    ];
    for (const [setting, project_name, project] of rows) {
      const { get, identity } = providerWith(setting);
      const config = { scope: "project", project_name };
      expect((await get("ephemeral", config)).diagnostics).toEqual([]);
      expect(identity.requests[0]?.request).toMatchObject({
        credential: { way: "application credential", by: { id: "a1" } },
        scope: { kind: "project" },
        expected: { project: project === null ? {} : { name: project } },
      });
    }
  });

  test("in place of a user rotates, with what has changed", async () => {
    const { state, privateData } = await prepare().create(WEB);
    const { plan } = prepare({ block: APPLICATION_CREDENTIAL });
    const { diagnostics } = await plan(state, WEB, privateData);
    expect(textOf(diagnostics)).toMatch(
      /"user":\{"name":"deployer".*, and would now be for .*"credential":\{"id":"a1"\}/,
    );
  });
});

test("a command's secret that the service refuses is asked for again, but not at once", async () => {
  const { password: _, ...rest } = BLOCK;
  const command = [process.execPath, "-e", "console.log(process.hrtime.bigint())"];
  const { open, identity, clock } = opening(ACCOUNT, {
    block: { ...rest, password_command: command },
  });
  const next = async (seconds: number) => {
    clock.now += seconds * 1000;
    await open();
    return passwordIn(identity.requests.at(-1)?.request.credential);
  };
  // Another failure says nothing about the secret.
  identity.onIssue = refuses("ERR_SERVICE_FAILED");
  const first = await next(0);
  expect(await next(3600)).toBe(first);
  identity.onIssue = refuses("ERR_CREDENTIALS_REJECTED");
  expect(await next(3600)).toBe(first);
  expect(await next(59)).toBe(first);
  expect(await next(1)).not.toBe(first);
});
