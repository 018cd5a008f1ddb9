import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { describeCredentials } from "../../../lib/provider/credentials/describe-credentials";
import { toProviderBlock } from "../../../lib/provider/credentials/provider-block";
import { createTokenRequests } from "../../../lib/provider/objects/token-requests";
import { createIdentityAccess } from "../../../lib/provider/process/identity-access";
import { IamTokensError } from "../../../lib/tokens";
import { hasOwnProject } from "../../../lib/tokens/ways";
import { answer, issued, ScriptedTransport } from "../../identity/support/scripted-transport";
import { pythonWithOpenstacksdk } from "../../support/openstacksdk";
import { contextOf, sessionOf, surroundingsOf } from "../fixtures";
import type { SetUp } from "./cloud-set-ups";

/** What a client asks the identity service, in order, and its CA file, certificate and key. */
export interface Asked {
  readonly asked: readonly Question[];
  readonly files: readonly (string | null)[];
}

export interface Question {
  readonly url: string;
  readonly bearer: string | null;
  readonly body: { readonly auth: { readonly identity: Identity; readonly scope?: Scope } } | null;
}
type Scope = Readonly<Partial<Record<"domain" | "project", object>>>;
type Identity = Readonly<
  Partial<Record<"password" | "application_credential", { readonly user?: object }>>
>;

/** Writes a set-up's files below a folder; the rest says where it is. */
export function laid({ files, variables, cloud }: SetUp, root: string) {
  for (const name of ["project", "home"]) mkdirSync(join(root, name), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  const all = { HOME: "@/home", XDG_CONFIG_DIRS: "@/nowhere", ...variables };
  const texts = Object.entries(all).map(([name, text]) => [name, text.replace(/^@/, root)]);
  const environment: Record<string, string> = Object.fromEntries(texts);
  return { folder: join(root, "project"), variables: environment, cloud };
}

export type Laid = ReturnType<typeof laid>;

/** Asks the real openstacksdk. */
export class Openstacksdk {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;

  constructor() {
    this.#child = spawn(pythonWithOpenstacksdk(), [join(__dirname, "what-openstacksdk-asks.py")], {
      env: { PATH: "/usr/bin:/bin", PYTHONDONTWRITEBYTECODE: "1" },
    });
    this.#child.stderr.resume();
    this.#answers = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  async asks(set: Laid): Promise<Asked | { readonly fails: string; readonly why: string }> {
    this.#child.stdin.write(`${JSON.stringify(set)}\n`);
    return JSON.parse((await this.#answers.next()).value);
  }

  async end(): Promise<void> {
    const closed = once(this.#child, "close");
    this.#child.stdin.end();
    await closed;
  }
}

/** The same for our provider, from the settings to the request; or its error. */
export async function weAsk({ folder, variables, cloud }: Laid): Promise<Asked | IamTokensError> {
  const block = toProviderBlock({ cloud });
  const context = surroundingsOf(variables, { workingFolder: folder });
  const transport: ScriptedTransport = new ScriptedTransport(({ method, url }) => {
    if (method !== "GET") return issued(transport.sent.length === 1 ? "unscoped" : "scoped");
    const v3 = `${url.replace(/(\/v[0-9.]+)?\/?$/, "")}/v3/`;
    const version = { id: "v3.14", status: "stable", links: [{ rel: "self", href: v3 }] };
    return answer(200, {}, { versions: { values: [version] } });
  });
  const identity = createIdentityAccess(context, { transport, sleep: async () => {} });
  try {
    const { files, project, way } = await describeCredentials(block, context);
    // As openstacksdk's follows from the settings.
    const scope = project !== undefined || hasOwnProject(way) ? "project" : "account";
    const { ca = null, cert = null, key = null } = files;
    const paths = [ca, cert, key].map((file) => file?.path ?? null);
    // The files of set-ups are not there.
    if (Object.keys(files).length > 0) return { asked: [], files: paths };
    const source = createTokenRequests(identity, context);
    await source.obtain({ scope }, contextOf(sessionOf({ cloud })));
    const asked = transport.sent.flatMap(({ request: { method, url, headers, body } }) =>
      method === "GET"
        ? []
        : [{ url, bearer: headers.authorization ?? null, body: body ? JSON.parse(body) : null }],
    );
    return { asked, files: paths };
  } catch (error) {
    if (IamTokensError.is(error)) return error;
    throw error;
  } finally {
    await identity.close();
  }
}

/** A user or a project by name without a domain, or no user: Keystone answers 400. */
export function isIncomplete({ asked }: Asked): boolean {
  const { identity, scope } = asked.at(-1)?.body?.auth ?? {};
  return [...usersIn(identity), scope?.project].some(
    (each) => each !== undefined && !("id" in each || ("name" in each && "domain" in each)),
  );
}

/** A token without a scope, which we never request. */
export const isUnscoped = ({ asked }: Asked) => asked.at(-1)?.body?.auth.scope === undefined;

const usersIn = ({ password, application_credential: credential }: Identity = {}) =>
  [password, credential].flatMap((each) => each?.user ?? []);

/**
 * What must be the same. We give a name that lacks a domain that of the account, and request no
 * token without a scope, and none of an application credential with a scope, which Keystone
 * refuses.
 */
export function comparable(mine: Asked, theirs: Asked): readonly [Asked, Asked] {
  if (mine.files.some((path) => path !== null)) return [mine, { asked: [], files: theirs.files }];
  const { identity, scope } = theirs.asked.at(-1)?.body?.auth ?? {};
  const isScoped = scope !== undefined && identity?.application_credential === undefined;
  const lacksDomain = isIncomplete(theirs);
  const reduced = (each: Asked): Asked => {
    const asked = each.asked.slice(0, theirs.asked.length).map(({ body, ...rest }) => {
      const { identity = {}, scope = {} } = body?.auth ?? {};
      const parts = body && { auth: isScoped ? { identity, scope } : { identity } };
      return { ...rest, body: lacksDomain ? withoutDomains(parts) : parts };
    });
    return { ...each, asked };
  };
  return [reduced(mine), reduced(theirs)];
}

const withoutDomains = (parts: Question["body"]): Question["body"] =>
  JSON.parse(JSON.stringify(parts), (key, value) => (key === "domain" ? undefined : value));
