import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CtyObject } from "../../../lib/plugin/cty/value";
import { brief, CANARY, eachIn, textOf } from "../fixtures";
import { providerWith } from "./prepared";

let workingFolder: string;
eachIn((own) => {
  workingFolder = own;
  writeFileSync(join(workingFolder, "token"), `${CANARY.static}\n`);
});

const getWith = async (
  way: "ephemeral" | "data",
  config: CtyObject,
  attached = false,
  lists: Readonly<Record<string, string>> = {},
) => {
  const variables = { STATIC_TOKEN: CANARY.static, PATH: "/usr/bin:/bin", ...lists };
  const { get, identity } = providerWith({ block: {}, variables, workingFolder, attached });
  const given: CtyObject = { ...(way === "data" ? { accept_in_state: true } : {}), ...config };
  const got = await get(way, given, "iam_static_token");
  expect(identity.clients).toBe(0);
  expect(textOf(got.diagnostics)).not.toContain("canary");
  return { given, ...got };
};

describe.each(["ephemeral", "data"] as const)("%s iam_static_token", (way) => {
  test("from each source has the contract's attributes, without credentials and requests", async () => {
    const rows: readonly CtyObject[] = [
      { env: "STATIC_TOKEN" },
      { file: "token" },
      { value: CANARY.static },
      { command: ["cat", "token"] },
      {
        env: "STATIC_TOKEN",
        destinations: ["https://api.example.test/x"],
        base_url: "https://api.example.test",
      },
    ];
    for (const source of rows) {
      const { given, result, diagnostics } = await getWith(way, source);
      expect(diagnostics).toEqual([]);
      expect(result).toEqual({
        ...given,
        token: CANARY.static,
        header_name: "X-Token",
        headers: { "X-Token": CANARY.static },
        kind: "static_token",
        fingerprint: null,
      });
    }
  });

  test("names its source, and under run whose it is", async () => {
    const { diagnostics } = await getWith(way, { env: "NONE" }, true);
    expect(textOf(diagnostics)).toMatch(/variable NONE \(env\) is not set.* of iam-tokens run/s);
  });

  test("repeats nothing of a name that is the token itself, and Terraform prints no line", async () => {
    const list = { LEGACY: "c0ffee", IAM_TOKENS_ALLOWED_STATIC_SOURCES: "LEGACY" };
    const { diagnostics } = await getWith(way, { env: "c0ffee" }, false, list);
    expect(diagnostics).toMatchObject([
      { path: [], summary: expect.stringMatching(/^env is the value of/) },
    ]);
    expect(textOf(diagnostics)).not.toContain("c0ffee");
  });
});

describe("a command", () => {
  const PLACES = "IAM_TOKENS_ALLOWED_STATIC_SOURCES";
  const PROGRAMS = "IAM_TOKENS_ALLOWED_COMMANDS";

  test.each<[string, Readonly<Record<string, string>>, string | undefined]>([
    ["of the list of programs runs", { [PROGRAMS]: "cat" }, undefined],
    ["of both lists' pipeline runs", { [PLACES]: "", [PROGRAMS]: "cat" }, undefined],
    ["that is not listed does not run", { [PROGRAMS]: "op" }, "ERR_COMMAND_NOT_ALLOWED"],
    ["does not run past the list of places", { [PLACES]: "*" }, "ERR_STATIC_SOURCE_NOT_ALLOWED"],
  ])("%s", async (_, lists, code) => {
    const { result, diagnostics } = await getWith(
      "data",
      { command: ["cat", "token"] },
      false,
      lists,
    );
    expect(result?.token).toBe(code === undefined ? CANARY.static : undefined);
    expect(textOf(diagnostics)).toMatch(code ?? /^$/);
  });

  test.each<[string, readonly string[], string]>([
    ["that fails", ["sh", "-c", "cat token; exit 3"], "ERR_COMMAND_FAILED"],
    ["that prints two lines", ["sh", "-c", "cat token token"], "ERR_COMMAND_FAILED"],
    ["that prints nothing", ["true"], "ERR_SECRET_EMPTY"],
    ["that prints what no header carries", ["printf", "a\tb"], "ERR_SECRET_UNUSABLE"],
    ["that is a line for a shell", ["cat token"], "ERR_COMMAND_FAILED"],
    ["without a program", [], "ERR_COMMAND_FAILED"],
  ])("%s gives no token, and nothing that it printed is repeated", async (_, command, code) => {
    const { result, diagnostics } = await getWith("ephemeral", { command });
    expect(result).toBeUndefined();
    expect(textOf(diagnostics)).toContain(code);
  });

  test("next to another source is refused", async () => {
    const { diagnostics } = await getWith("ephemeral", { command: ["cat", "token"], env: "A" });
    expect(textOf(diagnostics)).toContain("ERR_STATIC_SOURCE_INVALID");
  });
});

test.each([null, false])(
  "data iam_static_token warns that the token stands in the state when accept_in_state is %p",
  async (accept_in_state) => {
    const { result, diagnostics } = await getWith("data", { env: "STATIC_TOKEN", accept_in_state });
    expect(result).toBeDefined();
    expect(brief(diagnostics)).toEqual([
      "warning A static token is stored in plan and state: full access that never expires",
    ]);
    expect(textOf(diagnostics)).toContain('Use ephemeral "iam_static_token"');
  },
);
