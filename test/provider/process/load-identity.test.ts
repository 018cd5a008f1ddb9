import { processContextIn } from "../../../lib/cli/as-provider";
import { createPipelineProvider } from "../../../lib/provider/attached/pipeline-provider";
import { createIdentityAccess } from "../../../lib/provider/process/identity-access";
import { serveIamProvider } from "../../../lib/provider/serve-iam-provider";
import { issueTokens } from "../../../lib/resolution/issue-tokens";
import { contextOf, sessionOf, surroundingsOf } from "../fixtures";

// V8 does not say which flags it has.
const mockFlags: string[] = [];
jest.mock("node:v8", () => ({ setFlagsFromString: (flag: string) => mockFlags.push(flag) }));

beforeEach(() => mockFlags.splice(0));

/** Nothing listens there. */
const BLOCK = {
  ...{ auth_url: "http://127.0.0.1:1", account_id: "1", user_name: "u", password: "p" },
  retry_for: "0s",
};

test("a user's own synthesis, which resolves tokens, keeps its settings of V8", async () => {
  const job = { blockType: "iam_token", storedIn: "memory", provider: BLOCK } as const;
  const context = { variables: {}, workingFolder: "/", ended: () => {} };
  const [outcome] = await issueTokens([{ ...job, block: { scope: "account" } }], context);
  expect(outcome?.failure).toContain("[ERR_CONNECTION_FAILED]");
  expect(mockFlags).toEqual([]);
});

const PROGRAMS: Record<string, () => Promise<unknown>> = {
  "a provider that Terraform has launched, in a pause": async () => {
    for (const warmUp of serveIamProvider({ processContext: surroundingsOf() }).warmUp ?? [])
      await warmUp();
  },
  "the provider of run": async () => {
    const { provider } = createPipelineProvider({}, "/");
    const { iam_token } = provider.ephemeralResources;
    await iam_token?.open({ scope: "account" }, contextOf(sessionOf(BLOCK, true))).catch(() => {});
    await provider.close();
  },
  "a command": async () => createIdentityAccess(processContextIn("/", {})).client(() => {}),
};

test.each(Object.entries(PROGRAMS))("the parser is not optimized in %s", async (_, use) => {
  await use();
  expect(mockFlags[0]).toMatch(/^--wasm-tiering-budget=\d+$/);
});
