import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect, isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { IamTokensError } from "../../../lib/tokens";
import { fuzz, someOf } from "../../support/fuzz";
import { hasOpenstacksdk } from "../../support/openstacksdk";
import { describeIf } from "../../support/skips";
import {
  type Asked,
  comparable,
  isIncomplete,
  isUnscoped,
  laid,
  Openstacksdk,
  weAsk,
} from "./asked";
import { SET_UPS, type SetUp } from "./cloud-set-ups";
import { anySettings, anySignIn, FOUND, PLACES } from "./sign-in-files";

let root: string;
let count = 0;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "iam-clouds-")));
});
afterAll(() => rmSync(root, { recursive: true }));

const lay = (setUp: SetUp) => laid(setUp, join(root, `${count++}`));

/** What we ask, or the code of an error that repeats nothing from a file. */
async function outcomeOf(setUp: SetUp): Promise<Asked | string> {
  const asked = await weAsk(lay(setUp));
  if (!IamTokensError.is(asked)) return asked;
  const all = `${asked.message} ${inspect(asked, { depth: 10, showHidden: true })}`;
  expect(all).not.toMatch(/canary/);
  return asked.code;
}

const ROWS = [...SET_UPS, ...FOUND, ...PLACES].map((setUp) => [setUp.what, setUp] as const);

test.each(ROWS)("%s", async (_what, setUp) => {
  const { outcome } = setUp;
  const asked = expect.objectContaining({ asked: expect.any(Array) });
  const wanted = typeof outcome === "object" && "code" in outcome ? outcome.code : asked;
  expect(await outcomeOf(setUp)).toEqual(wanted);
});

describeIf(hasOpenstacksdk(), "openstacksdk is not here: test/support/prepare.ts")(
  "the real openstacksdk asks the same",
  () => {
    let library: Openstacksdk;
    beforeAll(() => {
      library = new Openstacksdk();
    });
    afterAll(() => library.end());

    test.each(someOf(ROWS))("%s", async (_what, setUp) => {
      const { outcome } = setUp;
      const at = lay(setUp);
      const theirs = await library.asks(at);
      const mine = await weAsk(at);
      if (typeof outcome === "object" && "code" in outcome) {
        if (outcome.both !== "may fail") expect("fails" in theirs).toBe(outcome.both === "fail");
        return;
      }
      if ("fails" in theirs || IamTokensError.is(mine)) throw new Error(inspect([mine, theirs]));
      const [ours, their] = comparable(mine, theirs);
      if (outcome === "same") expect(ours).toEqual(their);
      else expect(ours).not.toEqual(their);
    });

    /** What is not the same; undefined if nothing, or if we refuse what may be refused. */
    async function differenceIn(setUp: SetUp, mayRefuse: boolean): Promise<unknown> {
      const at = lay(setUp);
      const theirs = await library.asks(at);
      const mine = await weAsk(at);
      if ("fails" in theirs) return mayRefuse ? undefined : { setUp, theirs };
      if (IamTokensError.is(mine)) {
        const isListed = /_(?:UNSUPPORTED|MIXED)$/.test(mine.code);
        const isMissing = isIncomplete(theirs) || isUnscoped(theirs);
        return mayRefuse && (isListed || isMissing) ? undefined : { setUp, mine, theirs };
      }
      const [ours, their] = comparable(mine, theirs);
      return isDeepStrictEqual(ours, their) ? undefined : { setUp, ours, their };
    }

    test("any sign-in, in any place and by any names of its settings", async () => {
      const property = fc.asyncProperty(anySignIn, async (setUp) => {
        expect(await differenceIn(setUp, false)).toBeUndefined();
      });
      await fc.assert(property, fuzz(200));
    }, 120_000);

    test("any settings, or we refuse what cannot be meant", async () => {
      const property = fc.asyncProperty(anySettings, async (setUp) => {
        expect(await differenceIn(setUp, true)).toBeUndefined();
      });
      await fc.assert(property, fuzz(100));
    }, 120_000);
  },
);
