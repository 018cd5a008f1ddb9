import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import type { CtyObject } from "../../../lib/plugin/cty/value";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import {
  brief,
  CANARY,
  contextOf,
  eachIn,
  FakeIdentity,
  passwordIn,
  sessionOf,
  surroundingsOf,
  textOf,
} from "../fixtures";

let folder: string;
eachIn((own) => {
  folder = own;
});

const write = (more: string, project = ""): void =>
  writeFileSync(
    join(folder, "clouds.yaml"),
    `clouds: {prod: {auth: {auth_url: "https://i.test/v3", username: u, password: ${CANARY.password}, user_domain_name: "1"${project}}${more}}}`,
  );

function prepare(block: CtyObject = { cloud: "prod" }, variables: Record<string, string> = {}) {
  const identity = new FakeIdentity();
  const provider = createIamProvider({
    processContext: surroundingsOf(variables, { workingFolder: folder }),
    identity,
  });
  const session = sessionOf(block);
  const open = async (token: CtyObject = {}) =>
    (
      await provider.ephemeralResources.iam_token?.open(
        { scope: "account", ...token },
        contextOf(session),
      )
    )?.diagnostics;
  const projects = () =>
    identity.requests.map(({ request: { scope } }) =>
      scope.kind === "project"
        ? scope.project && "name" in scope.project && scope.project.name
        : "the account",
    );
  return { identity, session, open, projects };
}

test("the password reaches the request, and no message or session", async () => {
  write(", verify: no");
  const { identity, session, open } = prepare();
  const diagnostics = await open();
  expect(passwordIn(identity.requests[0]?.request.credential)).toBe(CANARY.password);
  expect(
    inspect([diagnostics, session, identity.requests], { depth: 20, showHidden: true }),
  ).not.toContain(CANARY.password);
});

test("the example of the documentation works", async () => {
  const page = readFileSync(join(__dirname, "../../../docs/credentials.md"), "utf8");
  writeFileSync(
    join(folder, "clouds.yaml"),
    /```yaml\n(.*?)```/s.exec(page)?.[1]?.replace(/^ *cacert:.*\n/m, "") ?? "",
  );
  const { identity, open, projects } = prepare();
  expect(await open({ scope: "project" })).toEqual([]);
  expect(identity.requests[0]?.request.credential).toMatchObject({
    user: { name: "deployer", domain: { name: "123456" } },
  });
  expect(projects()).toEqual(["web"]);
});

describe("the project of a cloud", () => {
  test("is not guessed if OS_CLOUD and OS_PROJECT_NAME differ", async () => {
    write("", ", project_name: web");
    const { open, projects } = prepare({}, { OS_CLOUD: "prod", OS_PROJECT_NAME: "shop" });
    const diagnostics = await open({ scope: "project" });
    expect(brief(diagnostics)).toEqual(["ERR_SCOPE_INVALID at project_name"]);
    expect(textOf(diagnostics)).toMatch(
      /OS_PROJECT_NAME differs from project_name of the cloud "prod"|OS_PROJECT_NAME differs from auth\.project_name/,
    );
    await open({ scope: "project", project_name: "mine" });
    expect(projects()).toEqual(["mine"]);
  });

  test("is that of the cloud which the block names, whatever the environment says", async () => {
    write("", ", project_name: web");
    const { open, projects } = prepare({ cloud: "prod" }, { OS_PROJECT_NAME: "shop" });
    await open({ scope: "project" });
    expect(projects()).toEqual(["web"]);
  });
});
