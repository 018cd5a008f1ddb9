import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CtyObject } from "../../../lib/plugin/cty/value";
import { UNKNOWN } from "../../../lib/plugin/cty/value";
import type { Diagnostic } from "../../../lib/plugin/provider";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import {
  brief,
  CANARY,
  contextOf,
  FakeIdentity,
  sessionOf,
  surroundingsOf,
  textOf,
} from "../fixtures";

const UNSET = { env: null, file: null, value: null, destinations: null, base_url: null };
const VARIABLES = {
  STATIC_TOKEN: CANARY.static,
  EMPTY: "",
  WRAPPED: `${CANARY.static}\n`,
  TWO_LINES: `${CANARY.static}\r\nX-Evil: 1`,
  PADDED: ` ${CANARY.static}`,
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "iam-static-"));
  writeFileSync(join(folder, "token"), `${CANARY.static}\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

const prepare = () => {
  const identity = new FakeIdentity();
  const provider = createIamProvider({
    processContext: surroundingsOf(VARIABLES, { workingFolder: folder }),
    identity,
  });
  const ephemeral = provider.ephemeralResources.iam_static_token;
  const data = provider.dataSources.iam_static_token;
  if (ephemeral === undefined || data === undefined) throw new Error("no iam_static_token");
  const context = contextOf(sessionOf({}));
  const get = async (
    way: "ephemeral" | "data",
    config: CtyObject,
  ): Promise<{ result?: CtyObject; diagnostics: readonly Diagnostic[] }> => {
    if (way === "ephemeral") {
      const { result, diagnostics = [] } = await ephemeral.open({ ...UNSET, ...config }, context);
      return { ...(result ? { result } : {}), diagnostics };
    }
    const { state, diagnostics = [] } = await data.read(
      { ...UNSET, accept_in_state: true, ...config },
      context,
    );
    return { ...(state ? { result: state } : {}), diagnostics };
  };
  return { identity, ephemeral, data, get };
};

describe.each(["ephemeral", "data"] as const)("%s iam_static_token", (way) => {
  test.each([
    { env: "STATIC_TOKEN" },
    { env: "WRAPPED" },
    { file: "token" },
    { value: CANARY.static },
  ])(
    "of %j has the contract's attributes, without credentials and without a request",
    async (source) => {
      const { get, identity } = prepare();
      const { result, diagnostics } = await get(way, source);
      expect(diagnostics).toEqual([]);
      expect(result).toEqual({
        ...UNSET,
        ...source,
        ...(way === "data" ? { accept_in_state: true } : {}),
        token: CANARY.static,
        header_name: "X-Token",
        headers: { "X-Token": CANARY.static },
        kind: "static_token",
        fingerprint: null,
      });
      expect(identity.clients).toBe(0);
    },
  );

  test.each([
    [{}, ["ERR_STATIC_SOURCE_INVALID"]],
    [{ env: "STATIC_TOKEN", file: "token" }, ["ERR_STATIC_SOURCE_INVALID at file"]],
    [{ env: "STATIC_TOKEN", value: CANARY.static }, ["ERR_STATIC_SOURCE_INVALID at env"]],
    [
      { env: "STATIC_TOKEN", file: "token", value: CANARY.static },
      ["ERR_STATIC_SOURCE_INVALID at file"],
    ],
    [{ env: `${CANARY.static}!` }, ["ERR_SECRET_MISSING on no line"]],
    [
      { env: `${CANARY.static}!`, value: CANARY.static },
      ["ERR_STATIC_SOURCE_INVALID on no line", "ERR_SECRET_MISSING on no line"],
    ],
    [{ env: "" }, ["ERR_SECRET_MISSING on no line"]],
    [{ file: "" }, ["ERR_SECRET_UNREADABLE at file"]],
    [{ value: "" }, ["ERR_SECRET_EMPTY on no line"]],
    [{ value: `${CANARY.static}\n` }, ["ERR_SECRET_UNUSABLE on no line"]],
    [{ value: `${CANARY.static}ü` }, ["ERR_SECRET_UNUSABLE on no line"]],
    [
      { env: "STATIC_TOKEN", base_url: "http://api.example.test" },
      ["ERR_ADDRESS_INVALID at base_url"],
    ],
    [
      { env: "STATIC_TOKEN", base_url: "https://user:canary@api.example.test" },
      ["ERR_ADDRESS_INVALID on no line"],
    ],
    [
      { env: "STATIC_TOKEN", destinations: ["api.example.test"] },
      ["ERR_ADDRESS_INVALID at destinations"],
    ],
    [{ env: "STATIC_TOKEN", destinations: [null] }, ["ERR_ADDRESS_INVALID at destinations"]],
    [
      {
        env: "STATIC_TOKEN",
        base_url: "https://api.example.test",
        destinations: ["https://evil.test", "https://api.example.test/x"],
      },
      ["ERR_DESTINATION_REFUSED at destinations"],
    ],
    [
      {
        env: "STATIC_TOKEN",
        base_url: "https://api.example.test",
        destinations: ["https://user:canary@api.example.test"],
      },
      ["ERR_ADDRESS_INVALID on no line"],
    ],
  ])("refuses %j when it is validated, and again when it is opened", async (config, expected) => {
    const { get, ephemeral, data } = prepare();
    const validate = way === "ephemeral" ? ephemeral.validate : data.validate;
    const found = validate?.({ ...UNSET, ...config });
    expect(brief(found)).toEqual(expected);
    expect(textOf(found)).not.toContain("canary");
    const opened = await get(way, config);
    expect(brief(opened.diagnostics)).toEqual(expected);
    expect(opened).not.toHaveProperty("result");
  });

  test.each([
    [{ env: "NONE" }, "ERR_SECRET_MISSING at env", "NONE"],
    [{ env: "EMPTY" }, "ERR_SECRET_EMPTY at env", "EMPTY"],
    [{ env: "TWO_LINES" }, "ERR_SECRET_UNUSABLE at env", "TWO_LINES"],
    [{ env: "PADDED" }, "ERR_SECRET_UNUSABLE at env", "PADDED"],
    [{ file: "none" }, "ERR_SECRET_MISSING at file", '"none"'],
    [{ file: "." }, "ERR_SECRET_UNREADABLE at file", '"."'],
  ])(
    "reports %j at its path, with its name and never its content",
    async (config, expected, name) => {
      const { get } = prepare();
      const { result, diagnostics } = await get(way, config);
      expect(result).toBeUndefined();
      expect(brief(diagnostics)).toEqual([expected]);
      expect(textOf(diagnostics)).toContain(name);
      expect(textOf(diagnostics)).not.toContain("canary");
    },
  );

  test.each([
    { destinations: ["https://api.example.test/x"], base_url: "https://api.example.test" },
    { destinations: [], base_url: "https://api.example.test" },
    { destinations: ["https://anywhere.test"] },
  ])("is handed out with %j", async (config) => {
    const { get } = prepare();
    expect((await get(way, { env: "STATIC_TOKEN", ...config })).result).toMatchObject({
      ...config,
      token: CANARY.static,
    });
  });

  test("ignores unknown values at validation", () => {
    const { ephemeral, data } = prepare();
    const validate = way === "ephemeral" ? ephemeral.validate : data.validate;
    expect(validate?.({ ...UNSET, value: UNKNOWN })).toEqual([]);
    expect(validate?.({ ...UNSET, env: "STATIC_TOKEN", file: UNKNOWN })).toEqual([]);
    expect(
      validate?.({ ...UNSET, env: UNKNOWN, destinations: UNKNOWN, base_url: UNKNOWN }),
    ).toEqual([]);
    const restricted = { ...UNSET, env: "A", base_url: "https://api.example.test" };
    expect(
      brief(validate?.({ ...restricted, destinations: [UNKNOWN, "https://evil.test"] })),
    ).toEqual(["ERR_DESTINATION_REFUSED at destinations"]);
    expect(brief(validate?.({ ...UNSET, env: "A", file: "b", value: UNKNOWN }))).toEqual([
      "ERR_STATIC_SOURCE_INVALID at file",
    ]);
  });
});

describe("data iam_static_token", () => {
  test.each([null, false])(
    "warns that the token stands in the state when accept_in_state is %p",
    async (accept) => {
      const { get } = prepare();
      const { result, diagnostics } = await get("data", {
        env: "STATIC_TOKEN",
        accept_in_state: accept,
      });
      expect(result).toBeDefined();
      expect(diagnostics).toHaveLength(1);
      expect(diagnostics[0]).toMatchObject({
        severity: "warning",
        summary: expect.stringMatching(/^A static token is stored in plan and state/),
      });
      expect(textOf(diagnostics)).not.toContain("canary");
    },
  );
});
