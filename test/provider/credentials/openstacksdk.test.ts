import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outcomeHere } from "./asked";
import { readRecord, SET_UPS } from "./recorded";

const root = realpathSync(mkdtempSync(join(tmpdir(), "iam-clouds-")));
afterAll(() => rmSync(root, { recursive: true }));

const RECORD = readRecord();

test("the record has each set-up once", () => {
  expect(RECORD.map(({ what }) => what)).toEqual(SET_UPS.map(({ what }) => what));
  expect(new Set(RECORD.map(({ what }) => what)).size).toBe(RECORD.length);
});

// test/keystone/openstacksdk.test.ts asks the library whether it is true.
test.each(SET_UPS.map((setUp, index) => [setUp.what, setUp, index] as const))(
  "as in the record of openstacksdk: %s",
  async (_what, setUp, index) => {
    const { openstacksdk, here = openstacksdk } = RECORD[index] ?? {};
    expect(await outcomeHere(setUp, join(root, `${index}`))).toEqual(here);
  },
);
