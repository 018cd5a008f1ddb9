import { describeIf, testIf } from "./skips";

const ran: string[] = [];

describeIf(true, "never")("with what is needed", () => {
  test("a group runs", () => void ran.push("group"));
});
testIf(true, "never")("with what is needed, a test runs", () => void ran.push("test"));

test("tests whose needs are met have run, under their own names", () => {
  expect(ran).toEqual(["group", "test"]);
});

test("without what is needed, group and test are skipped with the reason in their names", () => {
  const group = jest.spyOn(describe, "skip").mockImplementation(() => {});
  const single = jest.spyOn(test, "skip").mockImplementation(() => {});
  try {
    const body = jest.fn();
    describeIf(false, "no Go")("a group", body);
    testIf(false, "no Go")("a test", body);
    expect(group.mock.calls[0]?.[0]).toBe("a group (skipped: no Go)");
    expect(single.mock.calls[0]?.[0]).toBe("a test (skipped: no Go)");
    expect(body).not.toHaveBeenCalled();
  } finally {
    group.mockRestore();
    single.mockRestore();
  }
});
