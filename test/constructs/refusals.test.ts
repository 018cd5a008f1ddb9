import { inspect } from "node:util";
import { TerraformStack, TerraformVariable } from "cdktf";
import {
  IdentityService,
  ProductArea,
  RotationHook,
  RotationSchedule,
  SecretRef,
  ServiceUserPermission,
  StaticTokenRef,
  TokenOutputs,
  TokenResolution,
  TokenRotation,
  TokenScope,
} from "../../lib";
import {
  accountToken,
  expectNoMistake,
  identityIn,
  jsonOf,
  mistakesOf,
  refusalsOf,
  testStack,
} from "./support";

const CANARY = "canary-Pa55w0rd";
const { DATA, ROTATING } = TokenResolution;

// As a program without types would call it.
type Props = Readonly<Record<string, unknown>>;
type Declare = (stack: TerraformStack) => unknown;

const SERVICE = { authUrl: "https://c.example.com", accountId: "1" };
const PASSWORD = { ...SERVICE, serviceUser: { name: "u", password: SecretRef.env("P") } };
const BY_ID = { ...SERVICE, applicationCredential: { id: "a", secret: SecretRef.env("S") } };

const identity =
  (props: Props): Declare =>
  (stack) =>
    new IdentityService(stack, "t", { ...PASSWORD, ...props } as never);
const password = (given: unknown) => identity({ serviceUser: { name: "u", password: given } });
const BASE = { baseUrl: "https://a.example.com/v1" };
const token =
  (props: Props, of: object = {}) =>
  (stack: TerraformStack) =>
    accountToken(stack, { identity: identityIn(stack, "of", of), ...props } as never);
const fixed =
  (props: Props): Declare =>
  (stack) =>
    new StaticTokenRef(stack, "t", { source: SecretRef.env("T"), ...props } as never);
const rotation = (stack: TerraformStack) =>
  new TokenRotation(stack, "r", { schedule: RotationSchedule.every("6h") });
const pushed =
  (props: Props): Declare =>
  (stack) =>
    accountToken(stack, { rotateWith: rotation(stack), ...props });
const hook =
  (props: Props): Declare =>
  (stack) => {
    const its = accountToken(stack, { resolution: ROTATING }, "web");
    return new RotationHook(stack, "t", { token: its, command: "true", ...props } as never);
  };
const outputs = (stack: TerraformStack, its = stack, prefix?: string) =>
  new TokenOutputs(stack, "o", {
    token: accountToken(its, { resolution: DATA }),
    ...(prefix && { prefix }),
  });
const used =
  (use: (made: ReturnType<typeof accountToken>) => unknown): Declare =>
  (stack) =>
    use(accountToken(stack));
const elsewhere = (stack: TerraformStack) => new TerraformStack(stack.node.root, "other");

/** What is refused, and what the error says: by the construct, or by the provider's own rules. */
const REFUSED: readonly (readonly [what: string, declare: Declare, says: RegExp])[] = [
  // Values of an identity service, which the provider judges, in the words of the constructs.
  [
    "userinfo in the address",
    identity({ authUrl: `https://u:${CANARY}@c.example.com` }),
    /ERR_ADDRESS_INVALID/,
  ],
  [
    "a number as address",
    identity({ authUrl: 5 }),
    /authUrl is a value of type number\. Allowed: a string\. .*PROP_INVALID/,
  ],
  ["no account", identity({ accountId: undefined }), /accountId.*CREDENTIALS_MISSING/],
  ["a path that only a shell understands", identity({ caFile: "~/ca.pem" }), /caFile/],
  ["half a certificate", identity({ certFile: "c.pem" }), /keyFile.*CERTIFICATE_INVALID/],
  [
    "no way of signing in",
    identity({ serviceUser: undefined }),
    /serviceUser.*CREDENTIALS_MISSING/,
  ],
  [
    "two ways",
    identity(BY_ID),
    /applicationCredential.*another way of signing in than a password.*CREDENTIALS_MIXED/,
  ],
  [
    "a string as a way",
    identity({ serviceUser: CANARY }),
    /serviceUser\.password.*type undefined.*SECRET_LITERAL/,
  ],
  // Secrets, never repeated.
  ["a literal password", password(CANARY), /serviceUser\.password.*SecretRef\.env.*SECRET_LITERAL/],
  [
    "a password as a variable's name",
    () => SecretRef.env(`${CANARY}!`),
    /SecretRef\.env.*PROP_INVALID/,
  ],
  ["a password as a path", () => SecretRef.file(`${CANARY}\n`), /SecretRef\.file.*PROP_INVALID/],
  [
    "a literal as Terraform's",
    () => SecretRef.fromTerraform(CANARY),
    /SecretRef\.fromTerraform.*SECRET_LITERAL/,
  ],
  [
    "a reserved name of a variable",
    () => SecretRef.variable("for_each"),
    /SecretRef\.variable.*PROP_INVALID/,
  ],
  [
    "a line for a shell",
    () => SecretRef.command([`x ${CANARY}`]),
    /SecretRef\.command.*PROP_INVALID/,
  ],
  [
    "no audience",
    () => SecretRef.githubActions(" "),
    /SecretRef\.githubActions.*audience.*PROP_INVALID/,
  ],
  [
    "an audience for a password",
    password(SecretRef.githubActions("a")),
    /githubActions, which is only for the token of a federation.*PROP_INVALID/,
  ],
  [
    "a command for a static token",
    fixed({ source: SecretRef.command(["op"]) }),
    /source is SecretRef\.command, which is only.*PROP_INVALID/,
  ],
  ["a literal static token", fixed({ source: CANARY }), /source.*SECRET_LITERAL/],
  ["no static token", fixed({ source: undefined }), /source.*type undefined.*SECRET_LITERAL/],
  // Addresses, at the line that names them.
  [
    "no base address though one is required",
    identity({ requireBaseUrl: true }),
    /ERR_BASE_URL_MISSING/,
  ],
  ["the same for a static token", fixed({ requireBaseUrl: true }), /ERR_BASE_URL_MISSING/],
  [
    "a destination outside the base",
    token({ destinations: ["https://a.example.com/v10"] }, BASE),
    /DESTINATION_REFUSED/,
  ],
  [
    "an address outside the base",
    (stack) => token({}, BASE)(stack).headersFor("https://a.example.com@evil.example/v1"),
    /\[ERR_(DESTINATION_REFUSED|ADDRESS_INVALID)\]/,
  ],
  ["an address that is none", used((made) => made.valueFor("anywhere")), /ERR_ADDRESS_INVALID/],
  [
    "an item of a list that only Terraform knows",
    used((made) => made.headersFor(new TerraformVariable(made, "v", {}).listValue[0] as string)),
    /The address is a Terraform expression.*ERR_ADDRESS_INVALID/,
  ],
  // Tokens.
  [
    "an identity service of another stack",
    (stack) => token({ identity: identityIn(elsewhere(stack)) })(stack),
    /belongs to the stack other.*reopenIn.*OTHER_STACK/,
  ],
  ["a string as scope", token({ scope: "project" }), /scope is not given.*SCOPE_INVALID/],
  [
    "a project without a name, with a password",
    token({ scope: TokenScope.project() }),
    /without a project.*SCOPE_INVALID/,
  ],
  [
    "the account, with an application credential",
    (stack) => accountToken(stack, { identity: new IdentityService(stack, "of", BY_ID) }),
    /belongs to one project.*SCOPE_INVALID/,
  ],
  [
    "a threshold that no token has",
    token({ resolution: ROTATING, rotateWhenRemaining: "24h" }),
    /rotateWhenRemaining.*\[ERR_\w+\]/,
  ],
  [
    "schedule and threshold",
    token({
      resolution: ROTATING,
      schedule: RotationSchedule.every("6h"),
      rotateWhenRemaining: "2h",
    }),
    /Give only the schedule.*PROP_INVALID/,
  ],
  [
    "a schedule with a gap",
    token({ resolution: ROTATING, schedule: RotationSchedule.every("12h") }),
    /SCHEDULE_GAP/,
  ],
  [
    "a schedule of a data token",
    token({ resolution: DATA, schedule: RotationSchedule.every("6h") }),
    /schedule is given with resolution: data.*PROP_INVALID/,
  ],
  [
    "revokeOnClose of a rotating token",
    token({ resolution: ROTATING, revokeOnClose: true }),
    /revokeOnClose.*revokeOnDestroy.*PROP_INVALID/,
  ],
  [
    "revokeOnDestroy of an ephemeral token",
    token({ revokeOnDestroy: true }),
    /revokeOnDestroy.*revokeOnClose.*PROP_INVALID/,
  ],
  [
    "allowInState of an ephemeral token",
    token({ allowInState: true }),
    /allowInState.*SYNTH.*PROP_INVALID/,
  ],
  [
    "a project outside the permission",
    token(
      { scope: TokenScope.project("web") },
      { permission: ServiceUserPermission.projects("shop") },
    ),
    /project "web" cannot be issued.*"shop".*ERR_PERMISSION_INSUFFICIENT/,
  ],
  [
    "the account outside the permission",
    token({}, { permission: ServiceUserPermission.projects("shop") }),
    /account cannot be issued.*ERR_PERMISSION_INSUFFICIENT/,
  ],
  [
    "a permission for no project",
    () => ServiceUserPermission.projects(),
    /ServiceUserPermission\.projects.*PROP_INVALID/,
  ],
  [
    "a permission for a project without a name",
    () => ServiceUserPermission.projects("web", ""),
    /ServiceUserPermission\.projects.*is empty.*NAME_INVALID/,
  ],
  [
    "an area that the kind may not manage",
    used((made) => made.assertMayManage(ProductArea.SECRETS)),
    /iam_token_account_scoped cannot manage.*ERR_KIND_UNSUITABLE/,
  ],
  [
    "a variable for a command that is none",
    used((made) => made.environment("A-B")),
    /environment was given "A-B".*NAME_INVALID/,
  ],
  [
    "the rotation of a token that has none",
    used((made) => made.rotation),
    /rotation was read.*PROP_INVALID/,
  ],
  [
    "a static token in state",
    fixed({ resolution: DATA }),
    /full access that never expires.*ERR_STATIC_TOKEN_IN_STATE/,
  ],
  [
    "a static token that rotates",
    fixed({ resolution: ROTATING }),
    /nothing to rotate.*PROP_INVALID/,
  ],
  [
    "the address of a service that is looked up",
    (stack) => IdentityService.fromEnvironment(stack, "t").keystoneUrl,
    /keystoneUrl.*ERR_ADDRESS_NOT_KNOWN/,
  ],
  // Rotations, hooks and outputs.
  [
    "a rotation with a gap",
    (stack) => new TokenRotation(stack, "t", { schedule: RotationSchedule.every("12h") }),
    /SCHEDULE_GAP/,
  ],
  [
    "a rotation and a minimum lifetime",
    pushed({ minRemaining: "2h" }),
    /Both rotateWith and minRemaining/,
  ],
  [
    "a rotation of a data token",
    pushed({ resolution: DATA }),
    /rotateWith is given with resolution: data/,
  ],
  [
    "a pushed token that is revoked",
    pushed({ revokeOnClose: true }),
    /Both rotateWith and revokeOnClose/,
  ],
  [
    "a hook of a token that does not rotate",
    (stack) => new RotationHook(stack, "r", { token: accountToken(stack), command: "true" }),
    /does not rotate.*PROP_INVALID/,
  ],
  ["a hook without a command", hook({ command: " " }), /command is " ".*PROP_INVALID/],
  [
    "a hook with a command that no system can start",
    hook({ command: "x".repeat(65_537) }),
    /65537 bytes.*script.*PROP_INVALID/,
  ],
  [
    "a hook with a variable that is none",
    hook({ variable: "A B" }),
    /variable was given "A B".*NAME_INVALID/,
  ],
  [
    "a hook that takes the token's variable away",
    hook({ environment: { IAM_TOKEN_HEADER: "x" } }),
    /IAM_TOKEN_HEADER, which is reserved.*PROP_INVALID/,
  ],
  ["a hook with an empty interpreter", hook({ interpreter: [] }), /interpreter.*PROP_INVALID/],
  [
    "outputs of an ephemeral token",
    (stack) => new TokenOutputs(stack, "o", { token: accountToken(stack) }),
    /is ephemeral.*EPHEMERAL_OUTPUT/,
  ],
  [
    "outputs of another stack's token",
    (stack) => outputs(stack, elsewhere(stack)),
    /belongs to the stack other.*OTHER_STACK/,
  ],
  ["outputs without a name", (stack) => outputs(stack, stack, "1st"), /"1st".*NAME_INVALID/],
];

test.each(REFUSED)("%s is refused, once, with its construct", (_what, declare, says) => {
  const found = refusalsOf(declare);
  expect(found).toEqual([
    expect.stringMatching(/^(\[stack\/\w+\] |SecretRef\.|ServiceUserPermission\.).*\[ERR_\w+\]$/s),
  ]);
  expect(found[0]).toMatch(says);
  expect(found[0]).not.toMatch(new RegExp(`TfToken|${CANARY}|\\.[A-Z][a-z]`));
});

test("values that the provider judges are refused all at once, and are in no file", () => {
  const stack = testStack();
  identity({ authUrl: "http://c.example.com", retryFor: "6m" })(stack);
  accountToken(stack, { minRemaining: "25h", scope: TokenScope.project(" ") }, "web");
  expect(mistakesOf(stack).map((line) => line.replace(/\].*\[/s, "] ["))).toEqual([
    "[stack/t] [ERR_ADDRESS_INVALID]",
    "[stack/t] [ERR_DURATION_INVALID]",
    "[stack/web] [ERR_NAME_INVALID]",
    "[stack/web] [ERR_LIFETIME_TOO_SHORT]",
  ]);
  expect(inspect(refusalsOf(password(CANARY)))).not.toContain(CANARY);
  expect(JSON.stringify(jsonOf(stack))).not.toContain(CANARY);
});

test("each kind of token is judged by its own rules", () => {
  const stack = testStack();
  token({ revokeOnClose: true, minRemaining: "23h" })(stack);
  accountToken(stack, { resolution: ROTATING, keepers: { a: "b" }, revokeOnDestroy: true }, "web");
  new StaticTokenRef(stack, "dns", { source: SecretRef.env("T") });
  const ofOneProject = new IdentityService(stack, "own", BY_ID);
  accountToken(stack, { identity: ofOneProject, scope: TokenScope.project() }, "project");
  expectNoMistake(stack);
});

test("expressions are left to the provider when Terraform runs", () => {
  const stack = testStack();
  const text = new TerraformVariable(stack, "v", {}).stringValue;
  const of = { authUrl: text, accountId: text, retryFor: text, baseUrl: text, caFile: text };
  token({ minRemaining: text, scope: TokenScope.project(text), destinations: [text] }, of)(stack);
  expectNoMistake(stack);
});
