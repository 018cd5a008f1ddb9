import fc from "fast-check";
import { CtyError, type CtyType, Decimal, decodeJson } from "../../../lib/plugin/cty";
import { PROPERTY, typed } from "./arbitrary";

const read = (text: string, type: CtyType) => decodeJson(Buffer.from(text), type);

test("numbers keep every digit", () => {
  expect(read("[1, -2.5, 0.1, 1e3, 9007199254740993, 1.5e-1, 1E400]", ["list", "number"])).toEqual([
    1,
    -2.5,
    new Decimal("0.1"),
    1000,
    9007199254740993n,
    new Decimal("1.5e-1"),
    10n ** 400n,
  ]);
});

test("digits inside of strings and keys are left alone", () => {
  expect(read('{"a 1": "2 \\" 3", "__proto__": "\\\\"}', ["map", "string"])).toEqual(
    Object.assign(Object.create(null), { "a 1": '2 " 3' }, JSON.parse('{"__proto__":"\\\\"}')),
  );
});

test("a value whose type is dynamic has its type beside it", () => {
  expect(read('{"type": "number", "value": 12}', "dynamic")).toBe(12);
});

test("whatever bytes come, they are a value or a CtyError", () => {
  fc.assert(
    fc.property(
      typed,
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((text) => Buffer.from(text)),
      ),
      ({ type }, bytes) => {
        try {
          decodeJson(bytes, type);
        } catch (error) {
          expect(error).toBeInstanceOf(CtyError);
        }
      },
    ),
    PROPERTY,
  );
});

test("the message does not quote what was read", () => {
  expect(() => read('{"a": canary}', ["map", "string"])).toThrow(
    new CtyError("the value is not well-formed JSON"),
  );
});
