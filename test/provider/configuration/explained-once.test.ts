import { ExplainedOnce } from "../../../lib/provider/configuration/explained-once";
import { type Cause, ERROR_CODES, IamTokensError, requestId, words } from "../../../lib/tokens";

const rejected = (who: string, details: { likely?: string; headline?: string } = {}) => {
  const { likely, ...rest } = details;
  const causes: Cause[] = [{ text: "The name." }, { text: "The account." }];
  if (likely !== undefined)
    causes.unshift({ text: likely, likely: true }, { text: "less", likely: true });
  const fact = words`The service refused ${who}${requestId(" (request id req-1)")}.`;
  return new IamTokensError("ERR_CREDENTIALS_REJECTED", fact, { ...rest, causes });
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

test("a later headline names the possible cause, or is its own", () => {
  expect(later(rejected("b")).headline).toBe(ERROR_CODES.ERR_CREDENTIALS_REJECTED[0]);
  expect(later(rejected("b", { headline: "It refused b." })).headline).toBe("It refused b.");
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

describe("for one configuration, each code is explained once", () => {
  const missing = (name: string) =>
    new IamTokensError("ERR_SECRET_MISSING", `The variable ${name} is not set.`, {
      more: "More of it.",
      headline: `Variable ${name} is not set`,
      remedy: "Did you mean another?",
    });

  test("later errors state the fact", () => {
    const [once, block] = [new ExplainedOnce(), {}];
    const first = missing("A");
    expect(once.report(first, block)).toBe(first);
    const second = once.report(missing("A"), block);
    expect(second.message).toBe(
      "The variable A is not set. Another error of this run explains it. [ERR_SECRET_MISSING]",
    );
    expect(second.headline).toBe("Variable A is not set");
  });

  test("another configuration, another code, or no configuration is explained again", () => {
    const once = new ExplainedOnce();
    const [one, other] = [{}, {}];
    once.report(missing("A"), one);
    const again = missing("A");
    expect(once.report(again, other)).toBe(again);
    expect(once.report(again)).toBe(again);
    const unlike = new IamTokensError("ERR_SECRET_EMPTY", "The variable is empty.");
    expect(once.report(unlike, one)).toBe(unlike);
  });
});
