import { createIamProvider } from "../../lib/provider/iam-provider";

const { schema, ...objects } = createIamProvider({
  processContext: { variables: {}, workingFolder: "/", attached: false },
});

/** All arguments and attributes, with what their object says. */
const ATTRIBUTES = [
  ["provider", { iam: { schema } }] as const,
  ...Object.entries(objects).filter(([kind]) => /ources$/.test(kind)),
].flatMap(([kind, members]) =>
  Object.entries(members as Record<string, { schema: typeof schema }>).flatMap(
    ([
      name,
      {
        schema: { description: object, attributes },
      },
    ]) =>
      Object.entries(attributes).map(([attribute, its]) => {
        return { ...its, kind, name, attribute, object };
      }),
  ),
);

const named = (wrong: typeof ATTRIBUTES) =>
  wrong.map(({ kind, name, attribute }) => `${kind} ${name}.${attribute}`);

test("a time says how it is written: durations by an example, points in time by their format or unit", () => {
  const isDuration = /_(every|remaining|for)$/;
  const isTime = /_at$|^version$/;
  const times = ATTRIBUTES.filter(
    ({ attribute }) => isDuration.test(attribute) || isTime.test(attribute),
  );
  expect(times.length).toBeGreaterThan(12);
  const wrong = times.filter(({ attribute, description = "" }) =>
    isDuration.test(attribute)
      ? !/"\d+[smh]"/.test(description)
      : !/RFC 3339|in seconds since 1970/.test(description),
  );
  expect(named(wrong)).toEqual([]);
});

test("what is optional says its default, but for parts of a choice", () => {
  /** Parts of a sign-in: which are needed, the page says above them. */
  const isOfSignIn =
    /^(auth_url|account|user_|password|application_credential|identity_provider|protocol|oidc|cloud|cert_file|key_file)/;
  const wrong = ATTRIBUTES.filter(
    ({ kind, optional, attribute, object = "", description = "" }) =>
      optional === true &&
      !description.includes("By default") &&
      !(kind === "provider" ? isOfSignIn : /Give one of [^.]*/).test(
        kind === "provider" ? attribute : object,
      ),
  );
  expect(named(wrong)).toEqual([]);
});

test("an object with computed attributes says when a plan does not know them", () => {
  const wrong = ATTRIBUTES.filter(
    ({ computed, object = "" }) =>
      computed === true && !/Unknown in a plan|A plan .* knows only/.test(object),
  );
  expect(named(wrong)).toEqual([]);
});
