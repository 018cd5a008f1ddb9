import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import { describeCredentials } from "../../../lib/provider/credentials/describe-credentials";
import { toProviderBlock } from "../../../lib/provider/credentials/provider-block";
import { createTokenRequests } from "../../../lib/provider/objects/token-requests";
import { createIdentityAccess } from "../../../lib/provider/process/identity-access";
import { IamTokensError } from "../../../lib/tokens";
import { hasOwnProject } from "../../../lib/tokens/ways";
import { answer, issued, ScriptedTransport } from "../../identity/support/scripted";
import { contextOf, sessionOf, surroundingsOf } from "../fixtures";
import type { SetUp } from "./cloud-set-ups";

/** The requests that issue tokens, in order, and the CA file, the certificate and its key. */
interface Asked {
  readonly asked: readonly object[];
  readonly files: readonly (string | null)[];
}

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

/** What our provider asks by a set-up, from the settings to the request; or its error. */
async function weAsk({
  folder,
  variables,
  cloud,
}: ReturnType<typeof laid>): Promise<Asked | IamTokensError> {
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

/** What we ask by a set-up, or the code of an error that repeats nothing from a file. */
export async function outcomeHere(setUp: SetUp, root: string): Promise<unknown> {
  const asked = await weAsk(laid(setUp, root));
  if (!IamTokensError.is(asked)) return withoutRoot(asked, root);
  const all = `${asked.message} ${inspect(asked, { depth: 10, showHidden: true })}`;
  expect(all).not.toMatch(/canary/);
  return asked.code;
}

/** A path begins with its set-up's folder. */
export const withoutRoot = (outcome: unknown, root: string): unknown =>
  JSON.parse(JSON.stringify(outcome).replaceAll(root, "@"));
