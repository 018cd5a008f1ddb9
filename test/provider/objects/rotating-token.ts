import { type CtyObject, UNKNOWN } from "../../../lib/plugin/cty/value";
import type { Plan } from "../../../lib/plugin/provider";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import { BLOCK, brief, contextOf, FakeIdentity, sessionOf, surroundingsOf } from "../fixtures";

export const HOUR = 3_600_000;
/** When FakeIdentity's tokens are issued; they expire 24 hours later. */
export const T0 = Date.parse("2026-01-02T03:04:05Z");
export const ACCOUNT: CtyObject = { scope: "account" };
export const NO_BYTES = new Uint8Array(0);

export const prepare = ({
  block = BLOCK as CtyObject,
  variables = {} as Record<string, string>,
  type = "iam_token" as "iam_token" | "iam_rotation",
  deadline = (): AbortSignal => new AbortController().signal,
} = {}) => {
  const identity = new FakeIdentity();
  const clock = { now: T0 };
  const deadlines: number[] = [];
  let ids = 0;
  const provider = createIamProvider({
    processContext: surroundingsOf(variables),
    identity,
    now: () => clock.now,
    newId: () => `id-${++ids}`,
    deadline: (milliseconds) => {
      deadlines.push(milliseconds);
      return deadline();
    },
  });
  const resource = provider.resources?.[type];
  if (resource === undefined) throw new Error(`no ${type}`);
  const context = contextOf(sessionOf(block));
  const plan = (prior: CtyObject | null, config: CtyObject, privateData: Uint8Array = NO_BYTES) =>
    resource.plan({ prior, config, private: privateData }, context);
  /** The private data after a refresh. */
  const refresh = async (state: CtyObject, privateData: Uint8Array = NO_BYTES) => {
    const read = await resource.read?.({ state, private: privateData }, context);
    if (read === undefined) throw new Error("nothing was read");
    return read.private;
  };
  /** As Terraform does it: plan, and apply what was planned. */
  const apply = async (
    prior: CtyObject | null,
    config: CtyObject,
    privateData: Uint8Array = NO_BYTES,
  ) => {
    const { planned } = await plan(prior, config, privateData);
    if (planned === undefined) throw new Error("nothing was planned");
    const change = { config, planned, private: privateData };
    const applied = await (prior === null
      ? resource.create(change, context)
      : resource.update({ ...change, prior }, context));
    return { ...applied, planned };
  };
  const create = async (config: CtyObject = ACCOUNT) => {
    const { state, private: privateData } = await apply(null, config);
    if (state === undefined || privateData === undefined) throw new Error("nothing was created");
    identity.requests.length = 0;
    return { state, privateData };
  };
  return { identity, clock, deadlines, provider, resource, context, plan, refresh, apply, create };
};

/** The plan of an existing instance, in short. */
export const gist = ({ planned, diagnostics }: Plan, prior: CtyObject) =>
  planned === prior
    ? "nothing"
    : { rotation: planned?.rotation, token: planned?.token, warnings: brief(diagnostics) };
export const ROTATES = {
  rotation: 2,
  token: UNKNOWN,
  warnings: ["warning An IAM token is rotated"],
};
