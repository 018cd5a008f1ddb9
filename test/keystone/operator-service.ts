import { readFileSync } from "node:fs";
import { parseAuthUrl } from "../../lib/tokens";
import type { Need } from "./conformance/case";
import { ServiceHands } from "./conformance/service-hands";
import type { IdentityUnderTest } from "./identity-under-test";

const PREFIX = "IAM_TOKENS_CONFORMANCE_";

/** Whether the environment names a service of an operator's. */
export function namesOperatorService(env: Env): boolean {
  return (env[`${PREFIX}URL`] ?? "") !== "";
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The needs of cases that the suite skips at a service that is not ours: it only reads and issues.
 */
export function needsWithout(env: Env): readonly Need[] {
  const ours: readonly Need[] = [
    "users",
    "administrator",
    "failed_login",
    "revocation",
    "deployment",
    "federation",
  ];
  return (env[`${PREFIX}PROJECT`] ?? "") === "" ? [...ours, "project"] : ours;
}

/**
 * An operator's service, by IAM_TOKENS_CONFORMANCE_…: see docs/conformance.md. Before it is handed
 * over it has answered as a Keystone, and issued a token to the user.
 *
 * @throws an error that says what is wrong, and never a password
 */
export async function openOperatorService(env: Env): Promise<IdentityUnderTest> {
  const caFile = env[`${PREFIX}CA_FILE`];
  const password = readPassword(env);
  const service: IdentityUnderTest = {
    authUrl: required(env, "URL"),
    accountId: required(env, "ACCOUNT"),
    user: required(env, "USER"),
    projects: { permitted: env[`${PREFIX}PROJECT`] || undefined },
    ca: caFile === undefined || caFile === "" ? undefined : read(caFile, "CA_FILE"),
    passwordOf: () => password,
    exactTexts: false,
    // It is not ours to stop.
    stop: async () => {},
  };
  const hands = new ServiceHands(service);
  await assertKeystone(hands);
  await assertPermission(hands);
  return service;
}

async function assertKeystone(hands: ServiceHands): Promise<void> {
  const { authUrl } = hands.service;
  // Refuses the same addresses as a stack.
  const { v3 } = parseAuthUrl(authUrl);
  const answer = await hands.send("/identity/v3").catch((error: NodeJS.ErrnoException) => {
    // Of a connection's error the code alone: its text may show a certificate.
    throw new Error(`${authUrl} cannot be reached (${error.code ?? "unknown error"}).`);
  });
  const refuse = (what: string): never => {
    throw new Error(`${authUrl} is not a Keystone: GET ${v3} was answered ${what}.`);
  };
  if (answer.status !== 200) refuse(String(answer.status));
  let id: unknown;
  try {
    id = (JSON.parse(answer.body) as { readonly version?: { readonly id?: unknown } } | null)
      ?.version?.id;
  } catch {
    refuse("with something that is not JSON");
  }
  if (typeof id !== "string" || !/^v3\b/.test(id)) refuse("without a version v3");
}

async function assertPermission(hands: ServiceHands): Promise<void> {
  const { user, accountId, projects } = hands.service;
  const to = `to ${JSON.stringify(user)} of account ${JSON.stringify(accountId)}`;
  const { status } = await hands.post(hands.body());
  if (status !== 201) {
    throw new Error(
      `The service issues no account token ${to} (${status}). Name, password or account number is wrong, the user is disabled or locked, its password has expired, or its permission lacks the access area Account. It was asked once.`,
    );
  }
  if (projects.permitted === undefined) return;
  const ofProject = await hands.post(hands.body(user, hands.projectScope()));
  if (ofProject.status !== 201) {
    throw new Error(
      `The service issues no token for project ${JSON.stringify(projects.permitted)} ${to} (${ofProject.status}). The project is not in this account, or its name is wrong.`,
    );
  }
}

function readPassword(env: Env): string {
  const file = env[`${PREFIX}PASSWORD_FILE`] ?? "";
  const password =
    file === "" ? required(env, "PASSWORD") : read(file, "PASSWORD_FILE").replace(/\r?\n$/, "");
  if (password === "") throw new Error(`The file of ${PREFIX}PASSWORD_FILE is empty.`);
  return password;
}

function required(env: Env, name: string): string {
  const value = env[PREFIX + name];
  if (value === undefined || value === "") throw new Error(`${PREFIX}${name} is not set.`);
  return value;
}

function read(file: string, name: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(
      `The file of ${PREFIX}${name} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"}).`,
    );
  }
}
