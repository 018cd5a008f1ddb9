import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import { describeCredentials } from "../../../lib/provider/credentials/credentials";
import { toProviderBlock } from "../../../lib/provider/credentials/provider-block";
import type { CredentialDescription } from "../../../lib/provider/credentials/source";
import { IamTokensError, parseAuthUrl } from "../../../lib/tokens";
import { describeIf } from "../../support/skips";
import { surroundingsOf } from "../fixtures";
import { SET_UPS, type SetUp } from "./cloud-set-ups";

/** Debian's, whose packages that of openstacksdk is one of. */
const PYTHON = "/usr/bin/python3";
const hasOpenstacksdk =
  spawnSync(PYTHON, ["-c", "import openstack.config"], { timeout: 60_000 }).status === 0;

/** The settings that a client takes from a set-up. */
interface Seen {
  readonly authUrl: string | null;
  readonly who: string | null;
  readonly secret: string | null;
  readonly account: string | null;
  readonly project: string | null;
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "iam-clouds-")));
  SET_UPS.forEach(({ files }, index) => {
    for (const folder of ["project", "home"])
      mkdirSync(join(root, `${index}`, folder), { recursive: true });
    for (const [name, content] of Object.entries(files)) {
      const path = join(root, `${index}`, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  });
});
afterAll(() => rmSync(root, { recursive: true }));

const folderOf = (setUp: SetUp): string => join(root, `${SET_UPS.indexOf(setUp)}`);

function variablesOf(setUp: SetUp): Record<string, string> {
  const variables = { HOME: "@/home", XDG_CONFIG_DIRS: "@/nowhere", ...setUp.variables };
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, value.replace(/^@/, folderOf(setUp))]),
  );
}

/** The settings that our provider takes from a set-up. */
async function weSee(setUp: SetUp): Promise<Seen> {
  const block = toProviderBlock({ cloud: setUp.cloud });
  const variables = variablesOf(setUp);
  const description = await describeCredentials(
    block,
    surroundingsOf(variables, { workingFolder: join(folderOf(setUp), "project") }),
  );
  const { authUrl, references, secret, project, files } = description;
  return {
    authUrl: authUrl.v3,
    who: whoIn(description),
    secret:
      secret.kind === "value"
        ? secret.value.reveal()
        : secret.kind === "env"
          ? (variables[secret.name] ?? null)
          : null,
    account: references.account?.name ?? null,
    project: project?.name ?? null,
    ca: files.ca?.path ?? null,
    cert: files.cert?.path ?? null,
    key: files.key?.path ?? null,
  };
}

function whoIn(description: CredentialDescription): string {
  if (description.way === "identity token")
    return `${description.identityProvider}/${description.protocol}`;
  const user = description.references.user.name ?? "";
  if (description.way === "password") return user;
  const { by } = description;
  return "id" in by ? by.id : `${user}/${by.name}`;
}

/**
 * A set-up's outcome here: the settings, or the code of an error that repeats nothing from a file.
 */
async function outcomeOf(setUp: SetUp): Promise<Seen | string> {
  try {
    return await weSee(setUp);
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    expect(`${error.message} ${inspect(error, { depth: 10, showHidden: true })}`).not.toMatch(
      /canary/,
    );
    return error.code;
  }
}

test.each(SET_UPS.map((setUp) => [setUp.what, setUp] as const))("%s", async (_what, setUp) => {
  const seen = await outcomeOf(setUp);
  const { outcome } = setUp;
  if (typeof outcome === "object" && "code" in outcome) expect(seen).toBe(outcome.code);
  else expect(seen).toEqual(expect.objectContaining({ authUrl: expect.any(String) }));
});

describeIf(hasOpenstacksdk, "Debian's python3-openstacksdk is not here")(
  "compared with the real openstacksdk",
  () => {
    let answers: readonly ({ readonly sees: Seen } | { readonly fails: string })[];
    beforeAll(() => {
      const input = SET_UPS.map((setUp) => ({
        folder: join(folderOf(setUp), "project"),
        variables: variablesOf(setUp),
        cloud: setUp.cloud,
      }));
      const output = execFileSync(PYTHON, [join(__dirname, "what-openstacksdk-sees.py")], {
        input: JSON.stringify(input),
        env: { PATH: "/usr/bin:/bin", PYTHONDONTWRITEBYTECODE: "1" },
        timeout: 60_000,
        encoding: "utf8",
        stdio: "pipe",
      });
      answers = JSON.parse(output);
    }, 60_000);

    const theySee = (setUp: SetUp) => {
      const answer = answers[SET_UPS.indexOf(setUp)];
      if (answer === undefined || "fails" in answer) return answer;
      const { authUrl } = answer.sees;
      return { ...answer.sees, authUrl: authUrl === null ? null : parseAuthUrl(authUrl).v3 };
    };

    test.each(SET_UPS.map((setUp) => [setUp.what, setUp] as const))("%s", async (_what, setUp) => {
      const { outcome } = setUp;
      const theirs = theySee(setUp);
      if (outcome === "same") expect(await weSee(setUp)).toEqual(theirs);
      else if ("differs" in outcome) expect(await weSee(setUp)).not.toEqual(theirs);
      else if (outcome.both !== "may fail")
        expect(theirs !== undefined && "fails" in theirs).toBe(outcome.both === "fail");
    });
  },
);
