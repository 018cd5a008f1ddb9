import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { laid, outcomeHere, withoutRoot } from "../provider/credentials/asked";
import { type Recorded, readRecord, SET_UPS, writeRecord } from "../provider/credentials/recorded";
import { hasOpenstacksdk, pythonWithOpenstacksdk } from "../support/openstacksdk";
import { testIf } from "../support/skips";

const root = realpathSync(mkdtempSync(join(tmpdir(), "iam-clouds-")));
afterAll(() => rmSync(root, { recursive: true }));
const folderOf = (index: number) => join(root, `${index}`);

// IAM_TOKENS_RECORD=1 renews it: read the difference as a change of the code.
testIf(hasOpenstacksdk(), "openstacksdk is not here: test/support/prepare.ts")(
  "openstacksdk asks what is recorded of it",
  async () => {
    const { stdout, stderr } = spawnSync(
      pythonWithOpenstacksdk(),
      [join(__dirname, "what-openstacksdk-asks.py")],
      {
        env: { PATH: "/usr/bin:/bin", PYTHONDONTWRITEBYTECODE: "1" },
        input: SET_UPS.map((each, at) => JSON.stringify(laid(each, folderOf(at)))).join("\n"),
        encoding: "utf8",
        maxBuffer: 1e9,
      },
    );
    const answers = stdout.trim().split("\n");
    if (answers.length !== SET_UPS.length) throw new Error(stderr);
    const record: Recorded[] = [];
    for (const [at, setUp] of SET_UPS.entries()) {
      const openstacksdk = withoutRoot(JSON.parse(answers[at] ?? ""), folderOf(at));
      const here = await outcomeHere(setUp, folderOf(at));
      const isSame = isDeepStrictEqual(here, openstacksdk);
      record.push({ what: setUp.what, openstacksdk, ...(isSame ? {} : { here }) });
    }
    if (process.env.IAM_TOKENS_RECORD === "1") writeRecord(record);
    expect(readRecord()).toEqual(record);
  },
  120_000,
);
