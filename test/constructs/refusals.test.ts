import { inspect } from "node:util";
import { TerraformStack, TerraformVariable } from "cdktf";
import {
  IdentityService,
  ProductArea,
  RotationHook,
  RotationSchedule,
  SecretRef,
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
  mistakesOf,
  refusalsOf,
  testStack,
} from "./support";

const CANARY = "canary-Pa55w0rd";
const DATA = TokenResolution.data();
const ROTATING = TokenResolution.rotating();

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
    accountToken(stack, {
      resolution: TokenResolution.ephemeral({ rotateWith: rotation(stack), ...props }),
    });
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

/**
 * What is refused, by the construct or by the provider's own rules; the snapshot has the errors.
 */
const REFUSED: readonly (readonly [what: string, declare: Declare])[] = [
  // Values of an identity service, which the provider judges, in the words of the constructs.
  ["userinfo in the address", identity({ authUrl: `https://u:${CANARY}@c.example.com` })],
  ["no account", identity({ accountId: undefined })],
  ["half a certificate", identity({ certFile: "c.pem" })],
  ["no way of signing in", identity({ serviceUser: undefined })],
  ["two ways", identity(BY_ID)],
  ["an object as an account", identity({ accountId: { token: CANARY } })],
  // Secrets, never repeated.
  ["a literal password", password(CANARY)],
  ["a password as a variable's name", () => SecretRef.env(`${CANARY}!`)],
  [
    "a password from the environment as a variable's name",
    () => {
      jest.replaceProperty(process, "env", { ...process.env, SERVICE_USER_PASSWORD: "c0ffee01" });
      return SecretRef.env(process.env.SERVICE_USER_PASSWORD as string);
    },
  ],
  ["a password as a path", () => SecretRef.file(`${CANARY}\n`)],
  ["a literal as Terraform's", () => SecretRef.fromTerraform(CANARY)],
  ["a reserved name of a variable", () => SecretRef.variable("for_each")],
  ["no name of a variable", () => SecretRef.variable("a b")],
  ["a line for a shell", () => SecretRef.command([`x ${CANARY}`])],
  ["no audience", () => SecretRef.githubActions(" ")],
  ["an audience for a password", password(SecretRef.githubActions("a"))],
  ["an audience for a static token", fixed({ source: SecretRef.githubActions("a") })],
  ["a literal static token", fixed({ source: CANARY })],
  ["a destination outside the base", token({ destinations: ["https://a.example.com/v10"] }, BASE)],
  [
    "an address outside the base",
    (stack) => token({}, BASE)(stack).headersFor("https://a.example.com@evil.example/v1"),
  ],
  [
    "an address next to the base",
    (stack) => token({}, BASE)(stack).valueFor("https://a.example.com/v10"),
  ],
  [
    "an item of a list that only Terraform knows",
    used((made) => made.headersFor(new TerraformVariable(made, "v", {}).listValue[0] as string)),
  ],
  // Tokens.
  [
    "an identity service of another stack",
    (stack) => token({ identity: identityIn(elsewhere(stack)) })(stack),
  ],
  ["a project of its own, with a password", token({ scope: TokenScope.ownProject() })],
  [
    "the account, with an application credential",
    (stack) => accountToken(stack, { identity: new IdentityService(stack, "of", BY_ID) }),
  ],
  [
    "a threshold that no token has",
    token({ resolution: TokenResolution.rotating({ rotateWhenRemaining: "24h" }) }),
  ],
  [
    "schedule and threshold",
    () =>
      TokenResolution.rotating({
        schedule: RotationSchedule.every("6h"),
        rotateWhenRemaining: "2h",
      }),
  ],
  ["after of a synth token", token({ resolution: TokenResolution.synth(), after: ["x"] })],
  ["dependsOn of a synth token", token({ resolution: TokenResolution.synth(), dependsOn: [] })],
  ["a resolution by its name", token({ resolution: "rotating" })],
  [
    "an area that the kind may not manage",
    used((made) => made.assertMayManage(ProductArea.SECRETS)),
  ],
  ["a variable for a command that is none", used((made) => made.environment("A-B"))],
  ["the rotation of a token that has none", used((made) => made.rotation)],
  ["a static token in state, by a string", fixed({ resolution: DATA, allowInState: "false" })],
  ["a static token in state", fixed({ resolution: DATA })],
  ["a static token that rotates", fixed({ resolution: ROTATING })],
  [
    "the address of a service that is looked up",
    (stack) => new IdentityService(stack, "t").keystoneUrl,
  ],
  // Rotations, hooks and outputs.
  ["a rotation and a minimum lifetime", pushed({ minRemaining: "2h" })],
  [
    "an option of an IAM token alone",
    fixed({ resolution: TokenResolution.data({ minRemaining: "2h" }), allowInState: true }),
  ],
  [
    "a rotation of another stack",
    (stack) =>
      token({ resolution: TokenResolution.ephemeral({ rotateWith: rotation(elsewhere(stack)) }) })(
        stack,
      ),
  ],
  [
    "a rotation that leaves too little of a pushed token's life",
    (stack) => new TokenRotation(stack, "t", { schedule: RotationSchedule.every("11h30m") }),
  ],
  [
    "a rotation that asks a service of another stack",
    (stack) => {
      const identity = identityIn(elsewhere(stack));
      new TokenRotation(stack, "t", { schedule: RotationSchedule.every("6h"), identity });
    },
  ],
  ["a pushed token that is revoked", pushed({ revokeOnClose: true })],
  [
    "a hook of a static token",
    (stack) =>
      hook({ token: new StaticTokenRef(stack, "s", { source: SecretRef.env("T") }) })(stack),
  ],
  [
    "a hook in another stack",
    (stack) =>
      new RotationHook(stack, "t", { token: accountToken(elsewhere(stack)), command: "true" }),
  ],
  [
    "outputs of an ephemeral token",
    (stack) => new TokenOutputs(stack, "o", { token: accountToken(stack) }),
  ],
  ["outputs of another stack's token", (stack) => outputs(stack, elsewhere(stack))],
  ["outputs without a name", (stack) => outputs(stack, stack, "a b")],
];

test.each(REFUSED)("%s is refused, once, with its construct", (_what, declare) => {
  const found = refusalsOf(declare);
  expect(found).toEqual([
    expect.stringMatching(
      /^(\[stack\/\w+\] |The argument of SecretRef\.|TokenResolution\.).*\[ERR_\w+\]$/s,
    ),
  ]);
  expect(found[0]).not.toMatch(new RegExp(`TfToken|${CANARY}|\\.[A-Z][a-z]`));
});

test("values that the provider judges are refused all at once, and not repeated", () => {
  const stack = testStack();
  identity({ authUrl: "http://c.example.com", retryFor: "6m" })(stack);
  const resolution = TokenResolution.data({ minRemaining: "25h" });
  accountToken(stack, { resolution, scope: TokenScope.project(" ") }, "web");
  expect(mistakesOf(stack).map((line) => line.replace(/\].*\[/s, "] ["))).toEqual([
    "[stack/t] [ERR_ADDRESS_INVALID]",
    "[stack/t] [ERR_DURATION_INVALID]",
    "[stack/web] [ERR_NAME_INVALID]",
    "[stack/web] [ERR_LIFETIME_TOO_SHORT]",
  ]);
  expect(inspect(refusalsOf(password(CANARY)))).not.toContain(CANARY);
});

test("of many mistakes, the first ones are refused", () => {
  const destinations = Array.from({ length: 12 }, (_, index) => `http://x${index}.example`);
  const stack = testStack();
  token({ destinations })(stack);
  expect(mistakesOf(stack)).toHaveLength(10);
});

test("each kind of token is judged by its own rules", () => {
  const stack = testStack();
  const ended = TokenResolution.ephemeral({ revokeOnClose: true, minRemaining: "23h" });
  token({ resolution: ended })(stack);
  const kept = TokenResolution.rotating({ keepers: { a: "b" }, revokeOnDestroy: true });
  accountToken(stack, { resolution: kept }, "web");
  new StaticTokenRef(stack, "dns", { source: SecretRef.env("T") });
  const ofOneProject = new IdentityService(stack, "own", BY_ID);
  accountToken(stack, { identity: ofOneProject, scope: TokenScope.ownProject() }, "project");
  expectNoMistake(stack);
});

test("expressions are left to the provider when Terraform runs", () => {
  const stack = testStack();
  const text = new TerraformVariable(stack, "v", {}).stringValue;
  const of = { authUrl: text, accountId: text, retryFor: text, baseUrl: text, caFile: text };
  const resolution = TokenResolution.ephemeral({ minRemaining: text });
  token({ resolution, scope: TokenScope.project(text), destinations: [text] }, of)(stack);
  expectNoMistake(stack);
});

test("what a program has removed is not judged", () => {
  const stack = testStack();
  token({ scope: TokenScope.project(" ") })(stack);
  stack.node.tryRemoveChild("t");
  expectNoMistake(stack);
});
