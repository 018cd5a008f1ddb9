import {
  Fn,
  type TerraformElement,
  TerraformHclModule,
  TerraformIterator,
  type TerraformStack,
  TerraformVariable,
} from "cdktf";
import {
  IdentityService,
  RotationSchedule,
  SecretRef,
  ServiceUserToken,
  type ServiceUserTokenProps,
  StaticTokenRef,
  TokenKind,
  TokenResolution,
  TokenRotation,
  TokenScope,
} from "../../lib";
import {
  accountToken,
  anyResource,
  expectNoMistake,
  identityIn,
  partOf,
  testStack,
} from "./support";

const DATA = TokenResolution.data();
const ROTATING = TokenResolution.rotating();
const SYNTH = TokenResolution.synth();
const SCHEDULE = RotationSchedule.every("6h");
const IAM = { provider: "iam.identity", scope: "account" };
const VARIABLE = {
  type: "string",
  sensitive: true,
  description:
    "A token that resolveTokens issues before synthesis. Pass it as TF_VAR_t_token, from environment() of its result, or set writeFile: true.",
};
const EPHEMERAL_VARIABLE = { ...VARIABLE, ephemeral: true };
const DETAILS = {
  type: "object({issued_at=optional(string), expires_at=optional(string), fingerprint=optional(string), auth_url=optional(string), project_id=optional(string), user_id=optional(string)})",
  description: "Properties of a token, without any secret.",
  default: {},
};

const iam = (props: object) => (stack: TerraformStack) => accountToken(stack, props);
const fixed = (props: object) => (stack: TerraformStack) =>
  new StaticTokenRef(stack, "t", { source: SecretRef.env("T"), ...props });
const allowInState = true;

/** Both kinds of token by each way: the block, and how Terraform refers to it. */
const ROWS: readonly (readonly [
  what: string,
  place: string,
  block: object,
  address: string,
  declare: ReturnType<typeof iam | typeof fixed>,
])[] = [
  ["an ephemeral token", "ephemeral.iam_token.t", IAM, "ephemeral.iam_token.t", iam({})],
  ["a token by data", "data.iam_token.t", IAM, "data.iam_token.t", iam({ resolution: DATA })],
  ["a rotating token", "resource.iam_token.t", IAM, "iam_token.t", iam({ resolution: ROTATING })],
  [
    "a synth token",
    "variable",
    { t_token: EPHEMERAL_VARIABLE, t_details: DETAILS },
    "var.t",
    iam({ resolution: SYNTH }),
  ],
  [
    "a synth token that may be in a state",
    "variable",
    { t_token: VARIABLE, t_details: DETAILS },
    "var.t",
    iam({ resolution: TokenResolution.synth({ allowInState }) }),
  ],
  [
    "an ephemeral static token",
    "ephemeral.iam_static_token.t",
    { env: "T" },
    "ephemeral.iam_static_token.t",
    fixed({}),
  ],
  [
    "a static token by data",
    "data.iam_static_token.t",
    { env: "T", accept_in_state: true },
    "data.iam_static_token.t",
    fixed({ resolution: DATA, allowInState }),
  ],
  [
    "a static synth token",
    "variable",
    { t_token: EPHEMERAL_VARIABLE },
    "var.t",
    fixed({ resolution: SYNTH }),
  ],
];

test.each(ROWS)("%s: its block, and its expressions", (_what, place, block, address, declare) => {
  const stack = testStack();
  const token = declare(stack);
  const isIam = token instanceof ServiceUserToken;
  const { value, headers, issuedAt, expiresAt, fingerprint } = token;
  anyResource(stack, "user", {
    ...{ value, headers, issuedAt, expiresAt, fingerprint },
    ...(isIam && { authUrl: token.authUrl }),
    text: `Bearer ${value}`,
    call: Fn.upper(value),
    until: Fn.coalesce([expiresAt, "never"]),
    valueFor: token.valueFor("https://any.example.com"),
    environment: token.environment("API"),
  });
  new TerraformHclModule(stack, "m", { source: "example/m", dependsOn: [token] });

  const isVariable = address === "var.t";
  const [its, details] = isVariable
    ? [`${address}_token`, `${address}_details`]
    : [`${address}.token`, address];
  const header = isIam ? "X-Auth-Token" : "X-Token";
  expect(partOf(stack, place)).toEqual(block);
  expect(partOf(stack, "resource.any_thing.user")).toEqual({
    ...(isIam && { authUrl: `\${${details}.auth_url}` }),
    issuedAt: isIam ? `\${${details}.issued_at}` : "${null}",
    expiresAt: isIam ? `\${${details}.expires_at}` : "${null}",
    fingerprint: isIam ? `\${${details}.fingerprint}` : "${null}",
    value: `\${${its}}`,
    valueFor: `\${${its}}`,
    headers: { [header]: `\${${its}}` },
    text: `Bearer \${${its}}`,
    call: `\${upper(${its})}`,
    until: `\${coalesce(${isIam ? `${details}.expires_at` : "null"}, "never")}`,
    environment: { API: `\${${its}}`, API_HEADER: header },
  });
  expect(partOf(stack, "module.m.depends_on")).toEqual([isVariable ? its : address]);
  expect([token.headerName, Object.keys(token.headers)]).toEqual([header, [header]]);
  expect(token.kind).toBe(isIam ? TokenKind.IAM_TOKEN_ACCOUNT_SCOPED : TokenKind.STATIC_TOKEN);
});

/** Properties, as arguments of the block. */
const ARGUMENTS: readonly (readonly [
  what: string,
  props: Partial<ServiceUserTokenProps>,
  block: object,
])[] = [
  [
    "a project by its name, a life that must remain, and a revocation on close",
    {
      scope: TokenScope.project("${var.x}"),
      resolution: TokenResolution.ephemeral({ minRemaining: "3h", revokeOnClose: true }),
    },
    { scope: "project", project_name: "${var.x}", min_remaining: "3h", revoke_on_close: true },
  ],
  [
    "a project by its id",
    { scope: TokenScope.projectById("p1") },
    { scope: "project", project_id: "p1" },
  ],
  [
    "a schedule, keepers, and a revocation on destroy",
    {
      resolution: TokenResolution.rotating({
        ...{ schedule: SCHEDULE, keepers: { a: "007" }, revokeOnDestroy: true },
      }),
    },
    // 2 x 6h + 15m + 30m, and 5m of the clocks.
    { rotate_when_remaining: "18h50m", keepers: { a: "007" }, revoke_on_destroy: true },
  ],
  [
    "a time of rotation, and a check at each refresh",
    {
      resolution: TokenResolution.rotating({ rotateWhenRemaining: "12h", verifyAtRefresh: true }),
    },
    { rotate_when_remaining: "12h", verify_at_refresh: true },
  ],
  [
    "no revocation on close",
    { resolution: TokenResolution.ephemeral({ revokeOnClose: false }) },
    {},
  ],
  [
    "destinations",
    { resolution: DATA, destinations: ["https://a.example.com", "${var.x}"] },
    { destinations: ["https://a.example.com", "${var.x}"] },
  ],
];

test.each(ARGUMENTS)("what is in a token's block: %s", (_what, props, block) => {
  const stack = testStack();
  const { resolution } = accountToken(stack, props);
  const section = resolution.name === "rotating" ? "resource" : resolution.name;
  expectNoMistake(stack);
  expect(partOf(stack, `${section}.iam_token.t`)).toEqual({ ...IAM, ...block });
});

test("properties may be those of a class", () => {
  class Looked {
    get cloudsFolder() {
      return "/clouds";
    }
  }
  class Strict {
    constructor(readonly identity: IdentityService) {}
    readonly scope = TokenScope.account();
    get destinations() {
      return ["https://api.example.com"];
    }
  }
  const stack = testStack();
  const identity = new IdentityService(stack, "identity", new Looked());
  new ServiceUserToken(stack, "t", new Strict(identity));
  expect(partOf(stack, "ephemeral.iam_token.t.destinations")).toHaveLength(1);
  expect(JSON.stringify(partOf(stack, "provider.iam"))).toContain('"clouds_folder":"/clouds"');
});

test("the sources of a static token", () => {
  const stack = testStack();
  const variable = new TerraformVariable(stack, "token", {});
  variable.addOverride("ephemeral", true);
  const baseUrl = "https://api.example.com";
  for (const [id, source] of Object.entries({
    file: SecretRef.file("/run/secrets/token"),
    value: SecretRef.fromTerraform(variable.stringValue),
    // Other elements may have the name.
    variable: SecretRef.variable("file"),
  }))
    new StaticTokenRef(stack, id, { source, baseUrl });
  expectNoMistake(stack);
  expect(partOf(stack, "ephemeral.iam_static_token")).toEqual({
    file: { file: "/run/secrets/token", base_url: baseUrl },
    value: { value: "${var.token}", base_url: baseUrl },
    variable: { value: "${var.file}", base_url: baseUrl },
  });
  expect(partOf(stack, "variable.file")).toEqual({
    type: "string",
    sensitive: true,
    ephemeral: true,
  });
  expect(partOf(stack, "provider.iam")).toEqual([{}]);
});

test("an override of an entry of a map keeps the others", () => {
  const stack = testStack();
  const { node } = accountToken(stack, {
    resolution: TokenResolution.rotating({ keepers: { a: "1", b: "2" } }),
  });
  const block = node.defaultChild as TerraformElement;
  block.addOverride("keepers.a", "3");
  block.addOverride("min_remaining", "2h");
  expect(partOf(stack, "resource.iam_token.t")).toEqual({
    ...IAM,
    keepers: { a: "3", b: "2" },
    min_remaining: "2h",
  });
});

test("what a token waits for is in its block", () => {
  const stack = testStack();
  const role = anyResource(stack, "role", {});
  const roles = anyResource(stack, "roles", {}, { forEach: TerraformIterator.fromList(["a"]) });
  const two = anyResource(stack, "two", {}, { count: 2 });
  const after = ["${module.m.done}"];
  const identity = identityIn(stack);
  const first = accountToken(stack, { identity }, "first");
  const module = new TerraformHclModule(stack, "m", { source: "example/m" });
  const rotation = new TokenRotation(stack, "rotation", { schedule: SCHEDULE });
  const dependsOn = [role, first, roles, two, module, rotation];
  accountToken(stack, { identity, after, dependsOn }, "web");
  const read = accountToken(stack, { identity, dependsOn: [role], resolution: DATA }, "read");
  expectNoMistake(stack);
  expect(partOf(stack, "ephemeral.iam_token.web")).toMatchObject({
    after: [
      "${module.m.done}",
      "${any_thing.role.id}",
      '${join(",", values(any_thing.roles)[*].id)}',
      '${join(",", any_thing.two[*].id)}',
      "${iam_rotation.rotation.id}",
    ],
    depends_on: [
      ...["any_thing.role", "ephemeral.iam_token.first", "any_thing.roles", "any_thing.two"],
      ...["module.m", "iam_rotation.rotation"],
    ],
  });
  // Terraform waits with a data source by itself.
  expect(partOf(stack, "data.iam_token.read")).not.toHaveProperty("after");
  expect(read.resolution.name).toBe("data");
});

test.each([
  ["ephemeral", TokenResolution.ephemeral()],
  ["resource", ROTATING],
])("there is a token for each element of a list (%s)", (section, resolution) => {
  const stack = testStack();
  const projects = TerraformIterator.fromList(["web", "shop"]);
  const scope = TokenScope.project(projects.value);
  const token = accountToken(stack, { resolution, scope, forEach: projects });
  anyResource(stack, "each", { value_wo: token.value }, { forEach: projects });
  anyResource(stack, "one", { value_wo: token.valueAt("web") });
  const address = section === "resource" ? "iam_token.t" : `${section}.iam_token.t`;
  expect(partOf(stack, `${section}.iam_token.t`)).toMatchObject({
    for_each: '${toset(["web", "shop"])}',
    project_name: "${each.value}",
  });
  expect(partOf(stack, "resource.any_thing.each.value_wo")).toBe(`\${${address}[each.key].token}`);
  expect(partOf(stack, "resource.any_thing.one.value_wo")).toBe(`\${${address}["web"].token}`);
});

const pushedIn = (stack: TerraformStack) => {
  const rotation = new TokenRotation(stack, "rotation", {
    schedule: SCHEDULE,
    keepers: { release: "1" },
  });
  return {
    rotation,
    token: accountToken(
      stack,
      { resolution: TokenResolution.ephemeral({ rotateWith: rotation, revokeOnClose: false }) },
      "pushed",
    ),
  };
};

test("a rotation gives its token the life that the schedule needs", () => {
  const stack = testStack();
  const { rotation, token } = pushedIn(stack);
  const times = { at: rotation.rotateAt, last: rotation.rotatedAt };
  const pushed = { value_wo: token.value, value_wo_version: token.rotation };
  anyResource(stack, "user", { ...times, ...pushed }, { dependsOn: [rotation] });
  expectNoMistake(stack);
  expect(partOf(stack, "resource.iam_rotation.rotation")).toEqual({
    rotate_every: "4h47m30s",
    keepers: { release: "1" },
  });
  expect(partOf(stack, "ephemeral.iam_token.pushed.min_remaining")).toBe("23h55m");
  expect(partOf(stack, "resource.any_thing.user")).toEqual({
    at: "${iam_rotation.rotation.rotate_at}",
    last: "${iam_rotation.rotation.rotated_at}",
    value_wo: "${ephemeral.iam_token.pushed.token}",
    value_wo_version: "${iam_rotation.rotation.rotation}",
    depends_on: ["iam_rotation.rotation"],
  });
});
