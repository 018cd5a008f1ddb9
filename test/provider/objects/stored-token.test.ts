import { type CtyObject, type CtyValue, UNKNOWN } from "../../../lib/plugin/cty/value";
import { IamTokensError } from "../../../lib/tokens";
import { BLOCK, brief, CANARY, textOf, VARIABLES } from "../fixtures";
import { HOUR, prepare, SERVICE, type Setting, T0 } from "./prepared";

const PUSHED = "pushed-Token_1";
const EVERY: CtyObject = { rotate_every: "12h", keepers: null };
/** A rotation that looks at its store. */
const looking = (stored: CtyValue, more: CtyObject = {}): CtyObject => ({
  ...{ ...EVERY, stored_token_wo: stored, pushed_token_wo: PUSHED },
  ...more,
});
const NOT_ASKED =
  "warning Nobody was asked about the token that the store holds: the clock decides";
const NOT_THE_ONE = "The store does not hold the token that the last rotation pushed";

async function pushed(setting: Setting = {}) {
  const prepared = prepare({ type: "iam_rotation", ...setting });
  const { state, privateData } = await prepared.create(looking(""));
  const { plan, identity } = prepared;
  /** Plans with what the store holds. */
  const see = async (stored: CtyValue, more: CtyObject = {}) => {
    const { planned, diagnostics } = await plan(state, looking(stored, more), privateData);
    return { planned, asked: identity.asked.length, said: textOf(diagnostics), diagnostics };
  };
  return { ...prepared, state, privateData, see };
}

const SILENT = new IamTokensError("ERR_NO_ANSWER", "It did not answer.");
const HIDDEN = new IamTokensError("ERR_TOKEN_HIDDEN", "It answered 404.");

test("neither a plan nor a state has a write-only value; the state has the fingerprint of what was pushed", async () => {
  const { state, see } = await pushed();
  const nulls = { stored_token_wo: null, pushed_token_wo: null };
  expect(state).toMatchObject({ ...nulls, pushed_fingerprint: expect.stringMatching(/^\w{12}$/) });
  expect((await see("")).planned).toMatchObject({ ...nulls, pushed_fingerprint: UNKNOWN });
});

test.each<[string, CtyValue, asked: number]>([
  ["the pushed token", PUSHED, 1],
  ["the pushed token, with a line's end", `${PUSHED}\n`, 1],
  ["the pushed token between spaces", ` ${PUSHED}\t`, 1],
  ["nothing that can be read (null)", null, 0],
  ["what is not known yet", UNKNOWN, 0],
])("nothing rotates if the store holds %s", async (_what, stored, asked) => {
  const { see, state, identity } = await pushed();
  const seen = await see(stored);
  expect([seen.planned, seen.asked, seen.said]).toEqual([state, asked, ""]);
  if (asked > 0) expect(identity.asked[0]).toMatchObject({ token: PUSHED, at: SERVICE });
});

test("of a rotation that pushes no token of ours, the service alone is asked", async () => {
  const none = { pushed_token_wo: null };
  const { create, plan, identity } = prepare({ type: "iam_rotation" });
  const { state } = await create(looking("", none));
  expect((await plan(state, looking(PUSHED, none))).planned).toEqual(state);
  expect(identity.asked).toHaveLength(1);
});

test.each<[string, CtyValue, why: string]>([
  ["an empty string", "", "The store holds no token"],
  ["white space", " \n", "The store holds no token"],
  ["another token", "other-Token_1", NOT_THE_ONE],
  ["a part of the token", PUSHED.slice(0, -1), NOT_THE_ONE],
  ["more than a token may have", "x".repeat(100_000), NOT_THE_ONE],
  ["JSON around it", `{"token":"${PUSHED}"}`, NOT_THE_ONE],
])("if the store holds %s, it rotates, without a question", async (_what, stored, why) => {
  const { see } = await pushed();
  const { planned, asked, said } = await see(stored);
  expect(planned).toMatchObject({ rotation: UNKNOWN, version: UNKNOWN });
  expect(said).toContain(`A rotation is due\n${why}`);
  expect(asked).toBe(0);
});

test.each([
  ["no answer", SILENT],
  ["a 404, which accepts it", HIDDEN],
])("with %s about the store's token, a warning, and the clock decides", async (_what, answer) => {
  const { see, state, identity } = await pushed();
  identity.onValidate = () => Promise.reject(answer);
  const { planned, diagnostics } = await see(PUSHED);
  expect([planned, brief(diagnostics)]).toEqual([state, [NOT_ASKED]]);
});

test.each<[string, CtyObject, hours: number, rotation: number]>([
  ["the clock", {}, 12, 2],
  ["keepers", { keepers: { release: "2" } }, 0, 2],
])("with %s as a reason too, the number is known", async (_what, more, hours, rotation) => {
  const { see, clock, identity } = await pushed();
  identity.onValidate = async () => "refused";
  clock.now = T0 + hours * HOUR;
  expect((await see(PUSHED, more)).planned).toMatchObject({ rotation });
});

test("a change of rotate_every keeps the number whatever the store holds, because both plans must agree; the next run looks", async () => {
  const { see, privateData, plan } = await pushed();
  const kept = (await see("other-Token_1", { rotate_every: "6h" })).planned ?? {};
  expect(kept).toMatchObject({ rotation: 1, rotate_every: "6h" });
  const next = await plan(kept, looking("other-Token_1", { rotate_every: "6h" }), privateData);
  expect(next.planned).toMatchObject({ rotation: UNKNOWN });
});

test.each<[string, CtyObject]>([
  ["an empty block", {}],
  ["a cloud", { cloud: "prod" }],
])(
  "with %s nobody is asked, least of all the service of a file or of the environment",
  async (_what, block) => {
    const { see, state, identity } = await pushed({ block, variables: VARIABLES });
    const { planned, said, diagnostics } = await see(PUSHED);
    expect([planned, brief(diagnostics), identity.asked]).toEqual([state, [NOT_ASKED], []]);
    expect(said).toContain("provider = iam.NAME");
    expect((await see("other-Token_1")).planned).toMatchObject({ rotation: UNKNOWN });
  },
);

test("nobody is asked at an address that is not allowed", async () => {
  const variables = { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://elsewhere.example.test" };
  const { see, state, identity } = await pushed({ variables });
  const { planned, said } = await see(PUSHED);
  expect([planned, identity.asked]).toEqual([state, []]);
  expect(said).toContain("IAM_TOKENS_ALLOWED_AUTH_URLS");
});

test("while the block is not known, the clock decides", async () => {
  const { see, state, identity } = await pushed({ block: { ...BLOCK, auth_url: UNKNOWN } });
  const { planned, said } = await see(PUSHED);
  expect([planned, said, identity.asked]).toEqual([state, "", []]);
});

test("a token of a store is in no message", async () => {
  const { see } = await pushed();
  expect((await see(`${CANARY.token} ${CANARY.token}`)).said).not.toContain("canary");
  expect((await see(PUSHED, { keepers: { [PUSHED]: "x" } })).said).not.toContain(PUSHED);
});

test("without the capability of Terraform, a write-only argument is refused in words, and null is not", () => {
  const { resource } = prepare({ type: "iam_rotation" });
  expect(brief(resource.validate?.(looking("x"), false))).toEqual([
    "ERR_TERRAFORM_TOO_OLD at stored_token_wo",
    "ERR_TERRAFORM_TOO_OLD at pushed_token_wo",
  ]);
  expect(resource.validate?.(looking("x"), true)).toEqual([]);
  expect(resource.validate?.(EVERY, false)).toEqual([]);
});
