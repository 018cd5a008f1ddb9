import type { Scope } from "../../lib/identity";
import { PLAIN, type Proof, type Terms } from "../../lib/identity/credential";
import type { Exchanged } from "../../lib/identity/interpret/exchanged";
import { interpretIssue } from "../../lib/identity/interpret/issue-answer";
import type { IssueContext } from "../../lib/identity/interpret/issued-body";
import { interpretRevoke, interpretValidate } from "../../lib/identity/interpret/token-answer";
import { limitsOf } from "../../lib/identity/limits";
import { decideRetry } from "../../lib/identity/retry";
import type { Answer, Fault, FaultKind, Outcome } from "../../lib/identity/transport/transport";
import { ERROR_CODES, parseAuthUrl, Secret } from "../../lib/tokens";
import { ANSWERS, ID } from "./answers.rows";
import { answer, exchanged, fault, issued } from "./support/scripted";
import {
  ACCOUNT,
  credentialAt,
  errorOf,
  HOUR,
  httpDate,
  NOW,
  project,
  TOKEN_CANARY,
} from "./support/wanted";
import { applicationCredential, byName, federated, OWN, refusedByKeystone } from "./ways/wishes";

const limits = limitsOf();
const credential = credentialAt("https://k.example/identity");
const interpret = (outcome: Outcome, scope: Scope = ACCOUNT, secret = credential.secret) =>
  interpretIssue(exchanged(outcome, { secret }), { credential: { ...credential, secret }, scope });

// They become attributes, which users print.
test.each<[what: string, id: unknown, known: string | undefined]>([
  ["hex", "0123abcd", "0123abcd"],
  ["a number", 7, "7"],
  ["two words: none", "a b", undefined],
  ["an escape: none", "\u001b[2J", undefined],
  ["an empty string: none", "", undefined],
  ["256 characters: none", "x".repeat(256), undefined],
  ["an object: none", {}, undefined],
])("the ids of an answer, %s", (_what, id, known) => {
  const token = { user: { id }, project: { id } };
  const headers = { "X-Subject-Token": TOKEN_CANARY, Date: httpDate(NOW) };
  const { userId, projectId } = interpret(answer(201, headers, { token }), project("web"));
  expect([userId, projectId]).toEqual([known, known]);
});

test("a user by an id is no other, and what was not sent is compared", async () => {
  const headers = { "X-Subject-Token": TOKEN_CANARY, Date: httpDate(NOW) };
  const outcome = answer(201, headers, { token: { user: { id: "U1", name: "deployer" } } });
  const by = (id: string, name = "deployer") => {
    const context = { scope: ACCOUNT, credential: { ...credential, user: { id } } };
    return () => interpretIssue(exchanged(outcome), { ...context, expected: { user: { name } } });
  };
  expect(by("U1")).not.toThrow();
  const { problem } = await errorOf(by("u1"));
  expect(problem).toContain('A token for user with id "u1" was requested');
  // It may be a secret.
  expect(problem).not.toContain("U1");
  expect((await errorOf(by("U1", "other"))).problem).toContain('A token for user "other" was');
});

test.each(ANSWERS)("$what: $ends", async (row) => {
  const { outcome, scope = ACCOUNT, ends, again, why, says = "", lives = 24 } = row;
  const progress = { attempt: 1, totalMs: limits.totalMs, elapsedMs: 0, random: 0.5 };
  const decision = decideRetry(outcome, progress, limits);
  expect([decision.waitMs, decision.why]).toEqual([again, why]);
  if (ends === "token") {
    const issued = interpret(outcome, scope);
    const warned = expect.stringContaining(`${says}: the token's lifetime is assumed to be 1 d`);
    expect(issued.warnings).toEqual(says === "" ? [] : [warned]);
    expect(issued.credentialEndsAt).toBeUndefined();
    expect(issued.kind).toBe(
      scope.kind === "account" ? "iam_token_account_scoped" : "iam_token_project_scoped",
    );
    expect([issued.remainingMs, Number(issued.expiresAt) - NOW]).toEqual([
      lives * HOUR,
      lives * HOUR,
    ]);
    return;
  }
  const error = await errorOf(() => interpret(outcome, scope));
  expect(error.code).toBe(ends);
  if (outcome.kind === "fault") expect(error.problem).toBe(says);
  expect(error.message).toContain(says);
  expect(error.message).not.toMatch(/evil|[^\P{Cc}\n]|::error/u);
});

test.each([
  ["https://k.example", "https://k.example/v3"],
  ["https://k.example/identity/v3", "https://k.example/v3"],
  ...["/v3", "/v2.0", "/v3/auth/tokens", "/region", "/idenity/v3"].map((path) => [
    `https://k.example${path}`,
    "https://k.example/identity/v3",
  ]),
])("a 404 of %s proposes %s", async (given, suggested) => {
  const authUrl = parseAuthUrl(given);
  const heard = exchanged(answer(404), { url: authUrl.tokens });
  const wanted = { credential: { ...credential, authUrl }, scope: ACCOUNT };
  const readings = [() => interpretIssue(heard, wanted), () => interpretRevoke(heard, authUrl)];
  for (const read of readings)
    expect((await errorOf(read)).remedy).toBe(
      `Write the address as the service has it, up to /v3, such as ${suggested}.`,
    );
});

test("a token has its times, its address and the request id", () => {
  const token = {
    expires_at: new Date(NOW + 5 * HOUR).toISOString(),
    issued_at: new Date(NOW - HOUR).toISOString(),
  };
  const headers = { "X-Subject-Token": TOKEN_CANARY, Date: httpDate(NOW), "x-request-id": ID };
  const issued = interpret(answer(201, headers, { token }));
  expect(issued.token.reveal()).toBe(TOKEN_CANARY);
  expect(issued).toMatchObject({
    issuedAt: new Date(NOW - HOUR),
    expiresAt: new Date(NOW + 5 * HOUR),
    remainingMs: 5 * HOUR,
    authUrl: { v3: "https://k.example/identity/v3" },
    requestId: ID,
    warnings: [],
  });
});

// A short password may stand in a token by chance.
test.each([
  { password: "abcdefg", token: "xabcdefgx", refused: false },
  { password: "abcdefgh", token: "xabcdefghx", refused: true },
  { password: "abc", token: "abc", refused: true },
])("that $token echoes the password $password: $refused", ({ password, token, refused }) => {
  const read = () => interpret(issued(token), ACCOUNT, Secret.of(password));
  if (refused) expect(read).toThrow("ERR_TOKEN_HEADER_INVALID");
  else expect(read().token.reveal()).toBe(token);
});

describe("a request id", () => {
  const idOf = (id: string, secret: string, token = "t") =>
    interpret(
      answer(201, { "X-Subject-Token": token, "x-openstack-request-id": id }),
      ACCOUNT,
      Secret.of(secret),
    ).requestId;

  test.each([
    "req 1",
    "",
    "::error::",
    "req-1",
    `see ${ID}`,
    `${ID} for more`,
    `${ID}0`,
    `${ID}\n`,
  ])("of the form %j is not printed", (id) => {
    expect(idOf(id, "password")).toBeUndefined();
  });

  test.each([
    { what: "is the secret", id: ID, secret: ID },
    { what: "is the secret with other dashes", id: ID, secret: ID.replace(/req|-/g, "") },
    { what: "is the secret in capitals", id: ID, secret: ID.slice(4).toUpperCase() },
    { what: "has the secret in it", id: ID, secret: "8b1a-4a5e" },
    { what: "has the token in it", id: ID, secret: "x", token: "3f0c5d5e" },
  ])("that $what is not printed", ({ id, secret, token }) => {
    expect(idOf(id, secret, token)).toBeUndefined();
    expect(idOf(id, "password")).toBe(id);
  });
});

describe("the lifetime", () => {
  test("is counted on the service's clock: a difference is a warning, and does not end a token", () => {
    const token = { expires_at: new Date(NOW - 46 * HOUR).toISOString() };
    const late = { "X-Subject-Token": "t", Date: httpDate(NOW - 48 * HOUR) };
    const issued = interpret(answer(201, late, { token }));
    expect(issued.remainingMs).toBe(2 * HOUR);
    expect(issued.warnings).toEqual([expect.stringContaining("2 d ahead of")]);
  });

  test.each([
    [61_000, "1 min 1 s ahead of"],
    [-61_000, "1 min 1 s behind"],
    [60_000, ""],
    [-60_000, ""],
  ])("with a clock off by %d ms has the warning %j", (off, says) => {
    const headers = { "X-Subject-Token": "t", Date: httpDate(NOW - off) };
    expect(interpret(answer(201, headers)).warnings).toEqual(
      says === ""
        ? []
        : [
            `This machine's clock is ${says} the identity service's. expires_at and issued_at are in the service's time. Correct this machine's clock.`,
          ],
    );
  });

  test.each([
    [-HOUR, -HOUR],
    [60_000, 60_000],
    [60_001, 0],
    [1 - 24 * HOUR, 1 - 24 * HOUR],
    [-24 * HOUR, 0],
  ])("with issued_at %d ms from Date begins %d ms from it", (off, begins) => {
    const token = { issued_at: new Date(NOW + off).toISOString() };
    const given = interpret(
      answer(201, { "X-Subject-Token": "t", Date: httpDate(NOW) }, { token }),
    );
    expect(given.issuedAt).toEqual(new Date(NOW + begins));
    expect(given.remainingMs).toBe(24 * HOUR + begins);
  });
});

const PORT = "Check the port";
const NAME = "a name or an IP that the certificate contains";
const CLOCK = "Compare this machine's clock";
const CA = String(ERROR_CODES.ERR_TLS_FAILED[1]);

const PROXY_PORT = "In HTTPS_PROXY, write http://";
const PROXY_CA = "Add the proxy's CA to the trusted ones";

// Whatever it is, no remedy is the wrong one.
test.each<[FaultKind, code: string, service: string, proxy?: string]>([
  ["tls", "ERR_SSL_WRONG_VERSION_NUMBER", PORT, PROXY_PORT],
  ["tls", "ERR_SSL_PACKET_LENGTH_TOO_LONG", PORT, PROXY_PORT],
  ["tls", "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", "No CA helps: the other side requires a client"],
  ["tls", "ERR_SSL_OF_NO_LIST", "No CA helps: the other side requires a client certificate"],
  ["certificate", "ERR_TLS_CERT_ALTNAME_INVALID", NAME],
  ["certificate", "CERT_HAS_EXPIRED", CLOCK],
  ["certificate", "CERT_NOT_YET_VALID", CLOCK],
  ["certificate", "SELF_SIGNED_CERT_IN_CHAIN", CA, PROXY_CA],
  ["certificate", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", CA, PROXY_CA],
  ["certificate", "UNSPECIFIED", "No CA helps: the certificate, or one of its chain"],
])("a fault of %s, %s", async (kind, code, service, proxy = service) => {
  const remedyOf = async (over: Partial<Fault>) =>
    (await errorOf(() => interpret(fault(kind, { code, proxy: "p:1", ...over })))).remedy;
  expect(await remedyOf({})).toContain(service);
  expect(await remedyOf({ atProxy: true })).toContain(proxy);
});

const PANEL = "Names and passwords are in a drawer.";
const terms: Terms = { ...PLAIN, whereabouts: PANEL };
const PLACE = "The account or the project is wrong";
const PASSWORD = [
  "The password is wrong",
  "user's name or id is wrong",
  PLACE,
  "no role there",
  "disabled or locked",
];
const BY_ID = applicationCredential();
const ID_OF = '"0025618d34b349f8975e99bfd66eafc9"';
const { place: _place, readToken: _readToken, ...who } = federated();
const SIGNED_IN = { ...who, secret: Secret.of("unscoped") };
const WEB = project("web");
const wrong = (secret: string) => ({ ...credential, secret: Secret.of(secret) });

const SECRET = ["The secret is wrong", "It has expired", "by its name", "Its user is disabled"];

/** Of all answers of Keystone. */
const VARIES = { Vary: "X-Auth-Token" };
const KEYSTONE = { "WWW-Authenticate": 'Keystone uri="https://k.example/v3"' };

/** Keystone's 401, with a sentence of its own that has more than the fixed words. */
const saying = (message: unknown, headers: Readonly<Record<string, string>> = KEYSTONE) =>
  answer(401, headers, { error: { code: 401, message, title: "Unauthorized" } });
const UNSAID_401 = saying("The request you have made requires authentication.");

type Refusal = [
  name: string,
  whom: string,
  Partial<IssueContext>,
  Answer,
  causes: readonly string[],
];
test.each<Refusal>([
  [
    "a user names the account",
    'service user "deployer" in account "123456", who requested an account token.',
    {},
    UNSAID_401,
    PASSWORD,
  ],
  [
    "a user for a project names the project and its setting",
    'service user "deployer" in account "123456", who requested a token for project "web" (from OS_PROJECT_NAME).',
    { scope: { ...WEB, origin: "OS_PROJECT_NAME" } as Scope },
    UNSAID_401,
    PASSWORD,
  ],
  [
    "a user for a project whose name has the form of an id says so",
    'requested a token for project "AAAABBBBccccddddeeeeffff00001111".',
    { scope: project("AAAABBBBccccddddeeeeffff00001111") },
    UNSAID_401,
    ["32 hex digits, as an id has: give it as an id", ...PASSWORD],
  ],
  [
    "a secret with white space, after an earlier token, says both",
    "who requested an account token.",
    { wasAccepted: true, credential: wrong("x\r") },
    UNSAID_401,
    [
      "Most likely: the secret that was sent starts or ends with white space",
      "Most likely: the scope or the permission is wrong, or something has changed since: the same",
      ...PASSWORD,
    ],
  ],
  // As docker --env-file keeps them.
  [
    "a secret and a project in quotes names the quotes first",
    'service user "deployer" in account "123456", who requested a token for project "\\"web\\"".',
    { credential: wrong("'canary'\r"), scope: project('"web"') },
    UNSAID_401,
    [
      "Most likely: the secret that was sent begins and ends with a quote, which docker --env-file keeps",
      "Most likely: a name or an id that was sent begins and ends with a quote",
      ...PASSWORD,
    ],
  ],
  // What nothing replaced is the first cause.
  [
    "a secret and a project that nothing replaced names that first",
    'service user "deployer" in account "123456", who requested a token for project "$PROJECT".',
    { credential: wrong("op://canary"), scope: project("$PROJECT") },
    UNSAID_401,
    [
      "Most likely: the secret that was sent is a reference of 1Password (op://…): start the command by",
      "Most likely: a name or an id that was sent is a variable that neither the shell nor",
      ...PASSWORD,
    ],
  ],
  [
    "an application credential names its id",
    `application credential with id ${ID_OF}.`,
    { credential: BY_ID, scope: OWN },
    UNSAID_401,
    SECRET,
  ],
  [
    "an application credential by its name names its user",
    'application credential "pipeline" of user "deployer" in account "123456".',
    { credential: byName, scope: OWN },
    UNSAID_401,
    SECRET,
  ],
  [
    "an application credential by 404 names the address as the second cause",
    `application credential with id ${ID_OF}.`,
    { credential: BY_ID, scope: OWN },
    refusedByKeystone(404),
    ["No application credential has this id", "Or the address is wrong"],
  ],
  [
    "an application credential by 404 of a completed address names the address first",
    `application credential with id ${ID_OF}.`,
    {
      credential: { ...BY_ID, authUrl: { ...parseAuthUrl("https://k.example"), isGuess: true } },
      scope: OWN,
    },
    refusedByKeystone(404),
    [
      "Most likely: the address is wrong: write it up to /v3, such as https://k.example/v3.",
      "No application credential has this id",
    ],
  ],
  [
    "an identity token names its setting and the account",
    'the user of the identity token (oidc_token_file of the provider block), who requested an account token in account "123456".',
    { credential: SIGNED_IN },
    UNSAID_401,
    ["puts this token into a group without a role there", PLACE],
  ],
  [
    "an identity token for a project names the project",
    'a token for project "web" in account "123456".',
    { credential: SIGNED_IN, scope: WEB },
    UNSAID_401,
    ["a role there", PLACE],
  ],
])("the refusal of %s", async (_name, whom, over, outcome, causes) => {
  const context = { credential, scope: ACCOUNT, terms, ...over };
  const { secret } = context.credential;
  const error = await errorOf(() => interpretIssue(exchanged(outcome, { secret }), context));
  expect(error.code).toBe("ERR_CREDENTIALS_REJECTED");
  const [fact, ...listed] = error.problem.trimEnd().split("\n");
  const why =
    outcome === UNSAID_401 ? "does not say why" : "says why in words that are not repeated here";
  expect(fact).toContain(`${whom} The service ${why}.`);
  expect(listed).toEqual(causes.map((cause) => expect.stringContaining(cause)));
  expect(error.remedy.includes(PANEL)).toBe(context.credential.way === "password");
  expect(error.headline).toBe(
    over.wasAccepted
      ? `The service answered 401, although the same credential got a token earlier in this run.`
      : `The service answered ${outcome.status} to the ${context.credential.way}, and ${why}.`,
  );
});

test.each([
  ["404 of a web server to an application credential", BY_ID, answer(404), "ENDPOINT_NOT_FOUND"],
  ["Keystone's 404 to a password", credential, refusedByKeystone(404), "ENDPOINT_NOT_FOUND"],
  ["Keystone's 403", BY_ID, refusedByKeystone(403), "REQUEST_REFUSED"],
])("%s refuses no credential", async (_what, given, outcome, code) => {
  const context = { credential: given, scope: OWN };
  const error = await errorOf(() => interpretIssue(exchanged(outcome), context));
  expect(error.code).toBe(`ERR_${code}`);
});

test.each([400, 403, 405])("a %s names a firewall, but for Keystone's", async (status) => {
  const says = "a firewall or a proxy before it may refuse this request";
  const remedy = "and the user agent cdktf-iam-tokens";
  const issue = (given: Exchanged) => interpretIssue(given, { credential, scope: OWN });
  const { authUrl } = credential;
  const revoke = (given: Exchanged) => interpretRevoke(given, authUrl);
  const validate = (given: Exchanged) => interpretValidate(given, authUrl);
  for (const read of [issue, revoke, validate]) {
    const theirs = await errorOf(() => read(exchanged(answer(status, {}, "<html>"))));
    expect(theirs.problem).toContain(says);
    expect(theirs.remedy).toContain(remedy);
    const { problem } = await errorOf(() => read(exchanged(refusedByKeystone(status))));
    expect(problem).not.toContain("firewall");
  }
});

const EXPIRED = "The password is expired and needs to be changed for user: CANARY-of-a-body.";
const UNSUPPORTED = "Attempted to authenticate with an unsupported method.";

test.each<[string, Proof, Outcome, says: string]>([
  ["an expired password", credential, saying(EXPIRED), "the password has expired, or is a first"],
  ["the same under insecure_debug", credential, saying(`${EXPIRED} (Disable …)`), "has expired"],
  ["a locked user", credential, saying("The account is locked for user: CANARY."), "is locked"],
  ["a disabled user", credential, saying("The account is disabled for user: CANARY."), "disabled"],
  ["a way that is off", BY_ID, saying(UNSUPPORTED), "does not accept this way of signing in"],
])(
  "the cause of a 401 that Keystone names, %s, is the only one",
  async (_what, by, outcome, says) => {
    const scope = by === BY_ID ? OWN : ACCOUNT;
    const context = { credential: by, scope, wasAccepted: true };
    const error = await errorOf(() => interpretIssue(exchanged(outcome), context));
    expect(error.code).toBe("ERR_CREDENTIALS_REJECTED");
    expect(error.message).toContain(` The service says that `);
    expect(error.message).toContain(says);
    expect(error.headline).toContain(says);
    expect(error.parts.causes).toBeUndefined();
    for (const text of [error.message, error.headline])
      expect(text).not.toMatch(/does not say|CANARY/);
  },
);

const UNSAID = "The service does not say why.";
const TOLD = "The service says why in words that are not repeated here.";
const FOREIGN = "The service may be another one, or a proxy: the answer is not Keystone's.";
test.each<[string, Outcome, says: string]>([
  ["its usual sentence", UNSAID_401, UNSAID],
  ["no sentence", saying({ toString: 1 }), UNSAID],
  ["words of another kind", saying("CANARY: mfa totp code verify fail"), TOLD],
  ["the sentence inside of another", saying(`No. ${EXPIRED}`), TOLD],
  ["the code of another", answer(401, {}, { error: { code: 404, message: EXPIRED } }), FOREIGN],
  ["a web server", answer(401, { "WWW-Authenticate": 'Basic realm="CANARY"' }, "<h1>"), FOREIGN],
])("a 401 with %s has all causes", async (_what, outcome, says) => {
  const error = await errorOf(() =>
    interpretIssue(exchanged(outcome), { credential, scope: ACCOUNT }),
  );
  expect(error.message).toContain(`${says} Possible causes:\n- The password`);
  expect(error.headline).toContain(says.replace("The service ", "to the password, and "));
  expect(error.message).not.toContain("CANARY");
});

test.each<[way: string, Proof, advice: RegExp]>([
  [
    "a password",
    credential,
    /\["application_credential"\] to .*rules, then sign in with one; or sign in with the id/,
  ],
  [
    "an application credential",
    BY_ID,
    /\["application_credential"\] to the user's multi_factor_auth_rules\. The request was not/,
  ],
])(
  "the advice to a user with a second factor is none that the service refuses, next to %s",
  async (_way, by, advice) => {
    const outcome = answer(401, { "Openstack-Auth-Receipt": "gAAAA" }, {});
    const context = { credential: by, scope: by === BY_ID ? OWN : ACCOUNT };
    const { code, remedy } = await errorOf(() => interpretIssue(exchanged(outcome), context));
    expect(code).toBe("ERR_SECOND_FACTOR_REQUIRED");
    expect(remedy).toMatch(advice);
  },
);

const DAY = 24 * HOUR;
const keystoneTime = (time: number) => new Date(time).toISOString().replace("Z", "000");
test.each<[string, Proof, unknown, says: string | undefined]>([
  [
    "in three days",
    credential,
    keystoneTime(NOW + 3 * DAY),
    "ends at 2026-11-23T12:00:00.000Z, in 3 d:",
  ],
  ["in two weeks", credential, keystoneTime(NOW + 14 * DAY), "in 14 d:"],
  [
    "with a zone",
    credential,
    "2026-11-21T13:00:00+01:00",
    "ends at 2026-11-21T12:00:00.000Z, in 1 d:",
  ],
  ["later", credential, keystoneTime(NOW + 14 * DAY + 1_000), undefined],
  ["never", credential, null, undefined],
  ["in the past, which the service ignores", credential, keystoneTime(NOW - DAY), undefined],
  ["never, by Huawei's form", credential, "", undefined],
  [
    "of the user of an application credential, which outlives it",
    BY_ID,
    keystoneTime(NOW + DAY),
    undefined,
  ],
])("a password that ends %s", async (_what, by, password_expires_at, says) => {
  const body = { token: { user: { password_expires_at } } };
  const outcome = answer(201, { "X-Subject-Token": "t", Date: httpDate(NOW) }, body);
  const token = interpretIssue(exchanged(outcome), {
    credential: by,
    scope: by === BY_ID ? OWN : ACCOUNT,
  });
  expect(token.warnings).toEqual(says === undefined ? [] : [expect.stringContaining(says)]);
});

const TOKEN = Secret.of(TOKEN_CANARY);
describe("the answer to a revocation", () => {
  const inBody = (code: number) => ({ error: { code, message: "…", title: "…" } });
  test.each<[what: string, outcome: Outcome, ends: string]>([
    ["204", answer(204), "revoked"],
    ["Keystone's 401 by its header", answer(401, KEYSTONE), "refused"],
    ["Keystone's 401 by its body", answer(401, {}, inBody(401)), "refused"],
    // It was authenticated: access rules, a disabled project, a lost role.
    ["Keystone's 404", answer(404, {}, inBody(404)), "ERR_TOKEN_HIDDEN"],
    [
      "Keystone's 404 of an unknown path",
      answer(404, VARIES, "<!doctype html>"),
      "ERR_ENDPOINT_NOT_FOUND",
    ],
    ["401 without a body", answer(401), "ERR_ANSWER_UNEXPECTED"],
    ...['Basic realm="Keystone"', "Keystone-Gateway"].map((by): [string, Outcome, string] => [
      `401 of ${by}`,
      answer(401, { "WWW-Authenticate": by }),
      "ERR_ANSWER_UNEXPECTED",
    ]),
    ["404 of a web server", answer(404, {}, "<h1>"), "ERR_ENDPOINT_NOT_FOUND"],
    ["404 with another's body", answer(404, {}, { error: "x" }), "ERR_ENDPOINT_NOT_FOUND"],
    ["404 with another code", answer(404, {}, inBody(410)), "ERR_ENDPOINT_NOT_FOUND"],
    ["200", answer(200), "ERR_ANSWER_UNEXPECTED"],
    ["Keystone's 403", answer(403, KEYSTONE), "ERR_REQUEST_REFUSED"],
    ["503, echoing", answer(503, { "x-request-id": TOKEN_CANARY }), "ERR_SERVICE_FAILED"],
    ["no answer", fault("no_answer"), "ERR_NO_ANSWER"],
  ])("%s", async (_what, outcome, ends) => {
    const read = () =>
      interpretRevoke(
        exchanged(outcome, { secret: TOKEN, triesInWords: " (2)" }),
        credential.authUrl,
      );
    if (!ends.startsWith("ERR")) return expect(read()).toBe(ends);
    const error = await errorOf(read);
    expect(error.code).toBe(ends);
    expect(error.problem).toContain("k.example");
    expect(error.problem).toContain(" (2).");
  });
});

describe("the answer to the question whether a token is valid", () => {
  test.each<[what: string, outcome: Outcome, ends: string]>([
    ["200 with that token", answer(200, { "X-Subject-Token": TOKEN_CANARY }), "alive"],
    ["200 of a web server", answer(200), "ERR_ANSWER_UNEXPECTED"],
    ["200 with another token", answer(200, { "X-Subject-Token": "t" }), "ERR_ANSWER_UNEXPECTED"],
    ["Keystone's 401", answer(401, KEYSTONE), "refused"],
    // Without a body.
    [
      "Keystone's 404",
      answer(404, { ...VARIES, "Content-Type": "application/json" }),
      "ERR_TOKEN_HIDDEN",
    ],
    [
      "Keystone's 404 of an unknown path",
      answer(404, { ...VARIES, "Content-Type": "text/html; charset=utf-8" }),
      "ERR_ENDPOINT_NOT_FOUND",
    ],
    [
      "404 of a JSON server",
      answer(404, { "Content-Type": "application/json" }),
      "ERR_ENDPOINT_NOT_FOUND",
    ],
    ["401 of a proxy", answer(401), "ERR_ANSWER_UNEXPECTED"],
    ["404 of a web server", answer(404), "ERR_ENDPOINT_NOT_FOUND"],
    ["405", answer(405), "ERR_REQUEST_REFUSED"],
    ["503, echoing", answer(503, { "x-request-id": TOKEN_CANARY }), "ERR_SERVICE_FAILED"],
    ["no answer", fault("no_answer"), "ERR_NO_ANSWER"],
  ])("%s", async (_what, outcome, ends) => {
    const read = () => interpretValidate(exchanged(outcome, { secret: TOKEN }), credential.authUrl);
    if (!ends.startsWith("ERR")) return expect(read()).toBe(ends);
    const error = await errorOf(read);
    expect(error.code).toBe(ends);
    expect(error.problem).toContain("k.example");
  });
});
