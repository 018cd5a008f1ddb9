import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CtyObject } from "../../../lib/plugin/cty/value";
import type { Diagnosed } from "../../../lib/plugin/provider";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import {
  brief,
  CANARY,
  contextOf,
  eachIn,
  FakeIdentity,
  surroundingsOf,
  textOf,
} from "../fixtures";

const VARIABLES = { STATIC_TOKEN: CANARY.static };

let folder: string;
eachIn((own) => {
  folder = own;
  writeFileSync(join(folder, "token"), `${CANARY.static}\n`);
});

const get = async (way: "ephemeral" | "data", config: CtyObject, attached = false) => {
  const identity = new FakeIdentity();
  const { ephemeralResources, dataSources } = createIamProvider({
    processContext: surroundingsOf(VARIABLES, { workingFolder: folder, attached }),
    identity,
  });
  const given: CtyObject = { ...(way === "data" ? { accept_in_state: true } : {}), ...config };
  const answer: Diagnosed & { readonly result?: CtyObject; readonly state?: CtyObject } =
    (await (way === "ephemeral"
      ? ephemeralResources.iam_static_token?.open(given, contextOf())
      : dataSources.iam_static_token?.read(given, contextOf()))) ?? {};
  expect(identity.clients).toBe(0);
  expect(textOf(answer.diagnostics)).not.toContain("canary");
  return { given, result: answer.result ?? answer.state, diagnostics: answer.diagnostics ?? [] };
};

describe.each(["ephemeral", "data"] as const)("%s iam_static_token", (way) => {
  test.each<CtyObject>([
    { env: "STATIC_TOKEN" },
    { file: "token" },
    { value: CANARY.static },
    {
      env: "STATIC_TOKEN",
      destinations: ["https://api.example.test/x"],
      base_url: "https://api.example.test",
    },
  ])("of %j has the contract's attributes, without credentials and requests", async (source) => {
    const { given, result, diagnostics } = await get(way, source);
    expect(diagnostics).toEqual([]);
    expect(result).toEqual({
      ...given,
      token: CANARY.static,
      header_name: "X-Token",
      headers: { "X-Token": CANARY.static },
      kind: "static_token",
      fingerprint: null,
    });
  });

  test("names its source, and under run whose it is", async () => {
    const { diagnostics } = await get(way, { env: "NONE" }, true);
    expect(textOf(diagnostics)).toMatch(/variable NONE \(env\) is not set.* of iam-tokens run/);
  });
});

test.each([null, false])(
  "data iam_static_token warns that the token stands in the state when accept_in_state is %p",
  async (accept_in_state) => {
    const { result, diagnostics } = await get("data", { env: "STATIC_TOKEN", accept_in_state });
    expect(result).toBeDefined();
    expect(brief(diagnostics)).toEqual([
      "warning A static token is stored in plan and state: full access that never expires",
    ]);
  },
);
