import { inspect } from "node:util";
import fc from "fast-check";
import { type CtyObject, UNKNOWN } from "../../lib/plugin/cty/value";
import { expectOften } from "../support/expect-often";
import { anyCharacter, fuzz } from "../support/fuzz";
import { BLOCK, CANARY, contextOf } from "./fixtures";
import { ACCOUNT, providerWith, refuses } from "./objects/prepared";

describe("the provider iam", () => {
  test("is configured without a complaint when nothing is set, or nothing is known", async () => {
    const open = Object.fromEntries(Object.keys(BLOCK).map((name) => [name, UNKNOWN])) as CtyObject;
    for (const config of [{}, open]) {
      const { provider, identity, context } = providerWith();
      expect(provider.validate?.(config)).toEqual([]);
      const { session, diagnostics } = await provider.configure(config, context);
      expect(session).toBeDefined();
      expect(diagnostics ?? []).toEqual([]);
      expect(identity.clients).toBe(0);
    }
  });

  test("hides the password of a session", async () => {
    const { provider, context } = providerWith();
    const { session } = await provider.configure(BLOCK, context);
    expect(
      inspect(session, { depth: 10, showHidden: true }) + JSON.stringify(session),
    ).not.toContain("canary");
  });

  test("has two sessions with a block each, and one identity client", async () => {
    const { provider, identity, context } = providerWith();
    for (const user of ["first", "second"]) {
      const { session } = await provider.configure({ ...BLOCK, user_name: user }, context);
      await provider.dataSources.iam_token?.read(ACCOUNT, contextOf(session));
    }
    await provider.close();
    expect(identity.closed).toBe(1);
    expect(identity.requests.map(({ request }) => request.credential)).toMatchObject([
      { user: { name: "first" } },
      { user: { name: "second" } },
    ]);
  });

  test.each<[string, CtyObject[], boolean]>([
    ["no block", [], false],
    ["a service on this machine", [{ auth_url: "http://127.0.0.1:5000" }], false],
    [
      "a service with a CA of its own",
      [{ auth_url: "https://cloud.api.example.com", ca_file: "ca.pem" }],
      false,
    ],
    ["a service of the web", [{ auth_url: "https://cloud.api.example.com" }], true],
    [
      "one of the web, then others",
      [{ auth_url: "https://cloud.api.example.com" }, { auth_url: null }],
      true,
    ],
  ])("predicts whether the public authorities are needed: %s", (_what, blocks, expected) => {
    const { provider } = providerWith();
    for (const block of blocks) provider.validate?.(block);
    expect(provider.needsAuthorities()).toBe(expected);
  });
});

describe("whatever is given", () => {
  const maybe = <T>(value: T): fc.Arbitrary<T | null> => fc.constantFrom(value, null);
  const secret = fc.constantFrom(
    CANARY.password,
    `${CANARY.password}\n`,
    `${CANARY.password}\ufffd`,
    ` ${CANARY.password}`,
    null,
  );
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: anyCharacter }),
    fc.constantFrom("web", "account", "project", null),
  );
  const block = fc.record({
    auth_url: fc.oneof(
      maybe(BLOCK.auth_url),
      fc.constant(`https://u:${CANARY.password}@x.test/`),
      text,
    ),
    account_id: fc.oneof(maybe("123456"), text),
    user_name: fc.oneof(maybe("deployer"), text),
    password: secret,
    password_env: maybe("SECRET"),
    password_file: maybe("/no/such/file"),
    ca_file: maybe("/no/such/file"),
    cert_file: fc.constantFrom(null, null, "x"),
    cloud: fc.constantFrom(null, null, null, "x"),
  });
  const variables = fc.dictionary(
    fc.constantFrom(
      "OS_AUTH_URL",
      "OS_USERNAME",
      "OS_USER_DOMAIN_NAME",
      "OS_DOMAIN_NAME",
      "OS_PROJECT_NAME",
      "OS_PROJECT_ID",
      "OS_CLOUD",
    ),
    fc.constantFrom("https://pipeline.test", "x", " "),
  );
  const token = fc.record({
    scope: text,
    project_name: text,
    min_remaining: fc.oneof(maybe("2h"), text),
  });
  // Nearly all of these have a mistake: what has none has to be mixed in.
  const anyBlock = fc.oneof(block, fc.constant<CtyObject>(BLOCK), fc.constant<CtyObject>({}));
  const anyToken = fc.oneof(token, fc.constant<CtyObject>({ scope: "account" }));
  const fixed = fc.record({ env: maybe("SECRET"), file: maybe("/no/such/file"), value: secret });

  test("never throws, and puts no secret into a diagnostic", async () => {
    const codes = new Set<string>();
    const property = fc.asyncProperty(
      anyBlock,
      variables,
      secret,
      anyToken,
      fixed,
      async (blockConfig, env, password, iam, source) => {
        const secrets = { SECRET: CANARY.static, ...(password && { OS_PASSWORD: password }) };
        const variables = { ...env, ...secrets };
        const { provider, identity, get } = providerWith({ block: blockConfig, variables });
        identity.onIssue = refuses("ERR_CREDENTIALS_REJECTED");
        const opened = [
          await get("ephemeral", iam),
          await get("data", iam),
          await get("ephemeral", source, "iam_static_token"),
          await get("data", source, "iam_static_token"),
        ];
        const diagnostics = [
          ...(provider.validate?.(blockConfig) ?? []),
          ...opened.flatMap((each) => each.diagnostics),
        ];
        for (const { summary, detail, path } of diagnostics) {
          // Terraform prints the line that a path points to.
          const line = String(
            path === undefined
              ? ""
              : (Reflect.get({ ...blockConfig, ...iam, ...source }, path[0] ?? "") ?? ""),
          );
          expectOften(line).not.toContain("canary");
          codes.add(/ERR_\w+/.exec(summary)?.[0] ?? "");
          expectOften(summary).not.toContain("Unexpected failure");
          expectOften(summary + detail).not.toContain("canary");
          expectOften(summary + detail).not.toMatch(/[^\n\P{Cc}]/u);
        }
      },
    );
    await fc.assert(property, fuzz(400));
    // The property would hold of nothing, too: it has to have come by most of what there is.
    expect([...codes].sort()).toEqual(
      expect.arrayContaining([
        "ERR_CREDENTIALS_MISSING",
        "ERR_CREDENTIALS_MIXED",
        "ERR_CREDENTIALS_REJECTED",
        "ERR_SECRET_UNUSABLE",
        "ERR_STATIC_SOURCE_INVALID",
      ]),
    );
  });
});
