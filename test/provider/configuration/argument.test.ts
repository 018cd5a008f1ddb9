import { UNKNOWN } from "../../../lib/plugin/cty/value";
import { listArgument, textArgument } from "../../../lib/provider/configuration/argument";

test("an argument of another type than the schema's is an error of ours", () => {
  expect(() => textArgument({ name: 1 }, "name")).toThrow("name is not a string");
  expect(() => listArgument({ name: "a" }, "name")).toThrow("name is not a list");
});

test("a list with an unknown element is unknown", () => {
  expect(listArgument({ name: ["a", UNKNOWN] }, "name")).toBe(UNKNOWN);
  expect(listArgument({ name: ["a"] }, "name")).toEqual(["a"]);
});
