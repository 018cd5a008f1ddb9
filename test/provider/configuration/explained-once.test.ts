import { ExplainedOnce } from "../../../lib/provider/configuration/explained-once";
import { type Cause, IamTokensError, requestId, words } from "../../../lib/tokens";

const rejected = (who: string, { likely }: { likely?: string } = {}) => {
  const causes: Cause[] = [{ text: "The name." }, { text: "The account." }];
  if (likely !== undefined)
    causes.unshift({ text: likely, likely: true }, { text: "less", likely: true });
  const fact = words`The service refused ${who}${requestId(" (request id req-1)")}.`;
  return new IamTokensError("ERR_CREDENTIALS_REJECTED", fact, { causes });
};

/** What the second of two errors of a run says. */
const later = (error: IamTokensError): IamTokensError => {
  const once = new ExplainedOnce();
  once.report(rejected("a"));
  return once.report(error);
};

test("the first is printed in full, the others only their fact and where the list is", () => {
  const once = new ExplainedOnce();
  const first = rejected("a");
  expect(once.report(first)).toBe(first);
  expect(once.report(rejected("b")).message).toBe(
    "The service refused b. Possible causes are listed in another error of this run. [ERR_CREDENTIALS_REJECTED]",
  );
});

test("keeps the likeliest cause, which may be only of one of them", () => {
  expect(later(rejected("b", { likely: "it ends with \\r." })).problem).toBe(
    "The service refused b. Most likely: it ends with \\r.",
  );
});

test("causes that were not listed yet are", () => {
  const once = new ExplainedOnce();
  once.report(rejected("a"));
  const other = new IamTokensError("ERR_CREDENTIALS_REJECTED", "It refused b.", {
    causes: [{ text: "It was deleted." }],
  });
  expect(once.report(other)).toBe(other);
});

test("an error without possible causes is short, and printed each time", () => {
  const once = new ExplainedOnce();
  const again = new IamTokensError("ERR_SECRET_MISSING", "The variable is not set.");
  for (const _ of [1, 2]) expect(once.report(again)).toBe(again);
});
