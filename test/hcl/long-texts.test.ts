// Mutants do not change how long they take: `npm run mutants` leaves this file out.

import fc from "fast-check";
import { parseHcl } from "../../lib/hcl/body";
import { lockEntriesIn } from "../../lib/hcl/lock-entries";
import { scanHcl } from "../../lib/hcl/scan";
import { isSingleExpression } from "../../lib/hcl/single-expression";
import { fuzz } from "../support/fuzz";
import { processorTime } from "../support/processor-time";
import { part } from "./parts";

test("a long text takes time in proportion to its length, whatever repeats in it", () => {
  const few = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(few, few, (head, body) => {
      const text = head + body.repeat(60_000 / body.length);
      const before = process.cpuUsage();
      for (const read of [scanHcl, parseHcl, lockEntriesIn, isSingleExpression]) read(text);
      isSingleExpression(`\${${text}}`);
      const { user } = process.cpuUsage(before);
      // A tenth of this on a machine at rest; what is quadratic takes minutes.
      expect(user).toBeLessThan(3_000_000);
    }),
    fuzz(30),
  );
});

test("reads a long body in time", async () => {
  for (const piece of ["a = 1\n", "/*", "(", '"${', "<<A\n", "a.b.", "[1],", "a = <<E\nE\n", "%"])
    expect(await processorTime(() => void parseHcl(piece.repeat(50_000)))).toBeLessThan(10_000);
});
