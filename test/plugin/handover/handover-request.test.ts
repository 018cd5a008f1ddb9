import { parseHandoverRequest } from "../../../lib/plugin/handover/handover-request";

test("the launcher's arguments ask for a hand-over", () => {
  expect(parseHandoverRequest(["handover", "/tmp/x-1-2", "1", "2", "3"])).toEqual({
    folder: "/tmp/x-1-2",
    terraform: 1,
    startTime: "2",
    launcher: 3,
  });
});

test.each([
  [[]],
  [["other", "/tmp/x", "1", "2"]],
  [["handover"]],
  [["handover", "relative", "1", "2", "3"]],
  [["handover", "/tmp/x", "0", "2", "3"]],
  [["handover", "/tmp/x", "-1", "2", "3"]],
  [["handover", "/tmp/x", "1x", "2", "3"]],
  [["handover", "/tmp/x", "1", "", "3"]],
  [["handover", "/tmp/x", "1", "2"]],
  [["handover", "/tmp/x", "1", "2", "x"]],
])("%j does not: the server then serves its own launch", (args) => {
  expect(parseHandoverRequest(args)).toBeUndefined();
});
