import { isDeepStrictEqual } from "node:util";
import { type CtyObject, UNKNOWN } from "../../../lib/plugin/cty/value";
import type { Diagnosed, Diagnostic, Plan } from "../../../lib/plugin/provider";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import { IamTokensError } from "../../../lib/tokens";
import { BLOCK, brief, contextOf, FakeIdentity, sessionOf, surroundingsOf } from "../fixtures";

export const HOUR = 3_600_000;
/** When FakeIdentity's tokens are issued; they expire 24 hours later. */
export const T0 = Date.parse("2026-01-02T03:04:05Z");
export const ACCOUNT: CtyObject = { scope: "account" };
export const WEB: CtyObject = { scope: "project", project_name: "web" };
/** The identity service of {@link BLOCK}. */
export const SERVICE = "https://identity.example.test/identity/v3";

export interface Setting {
  readonly block?: CtyObject;
  readonly variables?: Readonly<Record<string, string>>;
  readonly attached?: boolean;
  readonly workingFolder?: string;
  readonly deadline?: () => AbortSignal;
}

type Way = "ephemeral" | "data";

/** The provider with a scripted identity client, a clock that a test sets, and ids in order. */
export const providerWith = ({
  block = BLOCK,
  variables = {},
  attached = false,
  workingFolder = "/",
  deadline = () => new AbortController().signal,
}: Setting = {}) => {
  const identity = new FakeIdentity();
  const clock = { now: T0 };
  const deadlines: number[] = [];
  let ids = 0;
  const provider = createIamProvider({
    processContext: surroundingsOf(variables, { attached, workingFolder }),
    identity,
    now: () => clock.now,
    newId: () => `id-${++ids}`,
    deadline: (milliseconds) => {
      deadlines.push(milliseconds);
      return deadline();
    },
  });
  const context = contextOf(sessionOf(block, attached));
  const { ephemeralResources, dataSources } = provider;
  /** What Terraform gets for an `ephemeral` or a `data` block. */
  const get = async (
    way: Way,
    config: CtyObject,
    type = "iam_token",
  ): Promise<{ result?: CtyObject | undefined; diagnostics: readonly Diagnostic[] }> => {
    if (way === "ephemeral") {
      const opened = await existing(ephemeralResources[type]).open(config, context);
      return { result: opened.result, diagnostics: opened.diagnostics ?? [] };
    }
    const read = await existing(dataSources[type]).read(config, context);
    return { result: read.state, diagnostics: read.diagnostics ?? [] };
  };
  return { identity, clock, deadlines, provider, context, get };
};

/** An ephemeral token of such a provider, by Terraform's calls. */
export const opening = (config: CtyObject = ACCOUNT, setting: Setting = {}) => {
  const prepared = providerWith(setting);
  const { provider, context } = prepared;
  const token = existing(provider.ephemeralResources.iam_token);
  return {
    ...prepared,
    open: async (signal = context.signal, more: CtyObject = {}) => {
      const opened = await token.open({ ...config, ...more }, { ...context, signal });
      return { ...opened, private: opened.private ?? Buffer.of() };
    },
    renew: (bytes: Uint8Array) => existing(token.renew)(bytes, context),
    close: (bytes: Uint8Array) => existing(token.close)(bytes, context),
  };
};

/** A resource of such a provider, by Terraform's calls. */
export const prepare = ({
  type = "iam_token",
  ...setting
}: Setting & { readonly type?: "iam_token" | "iam_rotation" } = {}) => {
  const prepared = providerWith(setting);
  const { provider, context, identity } = prepared;
  const resource = existing(provider.resources?.[type]);
  const plan = (prior: CtyObject | null, config: CtyObject, bytes: Uint8Array = Buffer.of()) =>
    resource.plan({ prior, config, private: bytes }, context);
  const refresh = (
    state: CtyObject,
    bytes: Uint8Array = Buffer.of(),
  ): Promise<Diagnosed & { readonly state?: CtyObject; readonly private: Uint8Array }> =>
    existing(resource.read)({ state, private: bytes }, context);
  /** As Terraform does it: plan, and apply what was planned. */
  const apply = async (prior: CtyObject | null, config: CtyObject, bytes?: Uint8Array) => {
    const planned = existing((await plan(prior, config, bytes)).planned);
    const change = { config, planned, private: bytes ?? Buffer.of() };
    const applied = await (prior === null
      ? resource.create(change, context)
      : resource.update({ ...change, prior }, context));
    return { ...applied, planned };
  };
  const create = async (config: CtyObject = ACCOUNT) => {
    const { state, private: privateData } = await apply(null, config);
    identity.requests.length = 0;
    return { state: existing(state), privateData: privateData ?? Buffer.of() };
  };
  const destroy = (state: CtyObject) => resource.destroy({ state }, context);
  return { ...prepared, resource, plan, refresh, apply, create, destroy };
};

function existing<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("it does not exist");
  return value;
}

/** The plan of an existing instance, in short. */
export const gist = ({ planned, diagnostics }: Plan, prior: CtyObject) =>
  isDeepStrictEqual(planned, prior)
    ? "nothing"
    : { rotation: planned?.rotation, token: planned?.token, warnings: brief(diagnostics) };

export const ROTATES = {
  rotation: 2,
  token: UNKNOWN,
  warnings: ["warning An IAM token is rotated"],
};

/** A request that the service refuses. */
export const refuses =
  (code: IamTokensError["code"], fact = "The service answered 503.") =>
  () =>
    Promise.reject(new IamTokensError(code, fact));
