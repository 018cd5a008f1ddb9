import { listArgument, textArgument } from "../../../lib/provider/configuration/argument";

test("an argument of another type than the schema's is an error of ours", () => {
  expect(() => textArgument({ name: 1 }, "name")).toThrow("name is not a string");
  expect(() => listArgument({ name: "a" }, "name")).toThrow("name is not a list");
});
