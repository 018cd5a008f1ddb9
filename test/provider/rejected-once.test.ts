import type { CtyObject } from "../../lib/plugin/cty/value";
import { createIamProvider } from "../../lib/provider/iam-provider";
import { IamTokensError } from "../../lib/tokens";
import { withCandidates } from "../../lib/tokens/candidates";
import { BLOCK, contextOf, FakeIdentity, surroundingsOf, textOf } from "./fixtures";

const TOKEN: CtyObject = {
  scope: "account",
  project_name: null,
  min_remaining: null,
  destinations: null,
  revoke_on_close: null,
};

function prepare(attached: boolean) {
  const identity = new FakeIdentity();
  identity.onIssue = () =>
    Promise.reject(
      new IamTokensError("ERR_CREDENTIALS_REJECTED", withCandidates("401.", ["The name."])),
    );
  const provider = createIamProvider({
    processContext: surroundingsOf({}, { attached }),
    identity,
  });
  const complete = (block: CtyObject): CtyObject =>
    Object.fromEntries(
      Object.keys(provider.schema.attributes).map((name) => [name, block[name] ?? null]),
    );
  const configure = async () => {
    const { session } = await provider.configure(complete(BLOCK), contextOf(undefined as never));
    if (session === undefined) throw new Error("not configured");
    return session;
  };
  type Session = Awaited<ReturnType<typeof configure>>;
  const isFull = async (session: Session): Promise<boolean> => {
    const opened = await provider.ephemeralResources.iam_token?.open(TOKEN, contextOf(session));
    return textOf(opened?.diagnostics ?? []).includes("Possible causes:");
  };
  return { provider, configure, isFull };
}

test("lists the possible causes once for all provider blocks of a Terraform", async () => {
  const { provider, configure, isFull } = prepare(false);
  const [one, two] = [await configure(), await configure()];
  expect([await isFull(one), await isFull(one), await isFull(two)]).toEqual([true, false, false]);
  for (const session of [one, two]) await provider.release?.(session);
  expect(await isFull(await configure())).toBe(false);
});

test("lists them again for the next Terraform that attaches, when the first has gone", async () => {
  const { provider, configure, isFull } = prepare(true);
  const [one, two] = [await configure(), await configure()];
  expect([await isFull(one), await isFull(two)]).toEqual([true, false]);
  await provider.release?.(one);
  expect(await isFull(two)).toBe(false);
  await provider.release?.(two);
  expect(await isFull(await configure())).toBe(true);
});
