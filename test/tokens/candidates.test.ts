import { ERROR_CODES, IamTokensError } from "../../lib/tokens";
import { CandidatesOnce, likely, withCandidates } from "../../lib/tokens/candidates";

const rejected = (who: string, ...candidates: string[]): IamTokensError =>
  new IamTokensError(
    "ERR_CREDENTIALS_REJECTED",
    withCandidates(`The service refused ${who}.`, [...candidates, "The name.", "The account."]),
  );

const POINTER = "Possible causes are listed in another error of this run.";

test("an error lists its candidates below the fact, in their order", () => {
  expect(rejected("a").message).toBe(
    "The service refused a. The service does not say why. Possible causes:\n- The name.\n- The account.\n" +
      "Check the possible causes in turn. The request was not repeated. [ERR_CREDENTIALS_REJECTED]",
  );
});

test("the first is printed in full, the others only their fact and where the list is", () => {
  const once = new CandidatesOnce();
  const first = rejected("a");
  expect(once.report(first)).toBe(first);
  expect(once.report(rejected("b (request id req-1)")).message).toBe(
    `The service refused b. ${POINTER} [ERR_CREDENTIALS_REJECTED]`,
  );
});

test("a later headline names the possible cause, or is its own", () => {
  const once = new CandidatesOnce();
  once.report(rejected("a"));
  expect(once.report(rejected("b")).headline).toBe(ERROR_CODES.ERR_CREDENTIALS_REJECTED.summary);
  const { code, problem } = rejected("b");
  const own = new IamTokensError(code, problem, { headline: "The service refused b." });
  expect(once.report(own).headline).toBe("The service refused b.");
});

test("keeps a sentence that is only about one of them", () => {
  const once = new CandidatesOnce();
  once.report(rejected("a"));
  expect(once.report(rejected("b", likely("it ends with \\r."))).problem).toBe(
    "The service refused b. Most likely: it ends with \\r.",
  );
});

test("after a run the next one is printed in full again", () => {
  const once = new CandidatesOnce();
  once.report(rejected("a"));
  once.forget();
  const next = rejected("b");
  expect(once.report(next)).toBe(next);
});

describe("for one configuration, each code is explained once", () => {
  const missing = (name: string) =>
    new IamTokensError("ERR_SECRET_MISSING", `The variable ${name} is not set. More of it.`, {
      headline: `Variable ${name} is not set`,
      remedy: "Did you mean another?",
    });

  test("later errors state the fact", () => {
    const [once, block] = [new CandidatesOnce(), {}];
    const first = missing("A");
    expect(once.report(first, block)).toBe(first);
    const second = once.report(missing("A"), block);
    expect(second.message).toBe(
      "The variable A is not set. Another error of this run explains it. [ERR_SECRET_MISSING]",
    );
    expect(second.headline).toBe("Variable A is not set");
  });

  test("another configuration, another code, or no configuration is explained again", () => {
    const once = new CandidatesOnce();
    const [one, other] = [{}, {}];
    once.report(missing("A"), one);
    const again = missing("A");
    expect(once.report(again, other)).toBe(again);
    expect(once.report(again)).toBe(again);
    const unlike = new IamTokensError("ERR_SECRET_EMPTY", "The variable is empty.");
    expect(once.report(unlike, one)).toBe(unlike);
  });
});
