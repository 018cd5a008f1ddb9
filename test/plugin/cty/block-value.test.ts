import { Encoder, ExtData, encode } from "@msgpack/msgpack";
import fc from "fast-check";
import {
  type Attributes,
  decodeMsgpack,
  decodeStoredBlock,
  encodeMsgpack,
} from "../../../lib/plugin/cty/block-value";
import { CtyError, type CtyType, UNKNOWN } from "../../../lib/plugin/cty/value";
import { expectOften } from "../../support/expect-often";
import { fuzz } from "../../support/fuzz";
import { typed } from "./arbitrary";

const of = (types: Readonly<Record<string, CtyType>>): Attributes =>
  Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));

test("encoding and decoding keeps every value of every type, and a stored state", () => {
  fc.assert(
    fc.property(typed, ({ attributes, block }) => {
      const back = decodeMsgpack(encodeMsgpack(block, attributes), attributes);
      expectOften(plain(back)).toEqual(plain(block));
      if (hasUnknown(block)) return;
      const json = Buffer.from(JSON.stringify(block));
      expectOften(plain(decodeStoredBlock(json, attributes))).toEqual(plain(block));
    }),
    fuzz(500),
  );
});

const hasUnknown = (value: unknown): boolean =>
  value === UNKNOWN ||
  (typeof value === "object" && value !== null && Object.values(value).some(hasUnknown));

/** Without prototypes, which do not matter, and with `__proto__` as the entry that it is. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return new Map(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

test("any bytes are a value or a CtyError", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.json().map((text) => Buffer.from(text)),
  );
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(typed, bytes, changes, ({ attributes, block }, input, changed) => {
      const broken = Buffer.from(encodeMsgpack(block, attributes));
      for (const [at, byte] of changed) broken[at % broken.length] = byte;
      expectCtyErrorAtMost(() => {
        const read = decodeMsgpack(broken, attributes);
        const again = decodeMsgpack(encodeMsgpack(read, attributes), attributes);
        expectOften(read && plain(again)).toEqual(read && plain(read));
      });
      expectCtyErrorAtMost(() => decodeMsgpack(input, attributes));
      expectCtyErrorAtMost(() => decodeStoredBlock(input, attributes));
    }),
    fuzz(400),
  );
});

function expectCtyErrorAtMost(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof CtyError)) throw error;
  }
}

test("unknown is extension 0 with one zero byte, as Terraform writes it", () => {
  expect([...encodeMsgpack({ a: UNKNOWN }, of({ a: "string" }))].slice(-3)).toEqual([0xd4, 0, 0]);
});

test("an extension of any other code is unknown as well", () => {
  for (const code of [12, -1]) {
    const bytes = new Encoder().encode({ a: new ExtData(code, new Uint8Array([1, 2, 3])) });
    expect(decodeMsgpack(bytes, of({ a: "string" }))).toMatchObject({ a: UNKNOWN });
  }
});

test("null is a missing block", () => {
  expect(decodeMsgpack(encodeMsgpack(null, of({})), of({}))).toBeNull();
});

const BYTES = new Uint8Array(1);
test.each<[type: CtyType, message: string, raw: unknown]>([
  ["string", "a: string expected, not a bool", true],
  ["string", "a: string expected, not an object", { a: "s3cret" }],
  ["number", "a: whole number expected, not a list", [1]],
  ["number", "a: whole number expected, not a string", "0.1"],
  ["bool", "a: bool expected, not bytes", BYTES],
  [["set", "string"], "a: set expected, not an object", { a: "s3cret" }],
  [["set", "string"], "a.1: string expected, not a number", ["x", 1]],
  [["map", "string"], "a: map expected, not a list", ["x"]],
  [["map", "number"], "a.k: whole number expected, not a string", { k: "s3cret" }],
])("a value of another type than %j is refused: %s", (type, message, raw) => {
  const decode = () => decodeMsgpack(encode({ a: raw }), of({ a: type }));
  expect(decode).toThrow(new CtyError(message));
  const path = message.slice(0, message.indexOf(":")).split(".");
  const problem = message.slice(message.indexOf(":") + 2);
  expect(decode).toThrow(expect.objectContaining({ name: "CtyError", problem }));
  expect(new CtyError(problem, path).message).toBe(message);
});

test.each([2 ** 53, Number.NaN])("the number %d is refused", (raw) => {
  expect(() => decodeMsgpack(encode({ a: raw }), of({ a: "number" }))).toThrow(
    new CtyError("a: whole number expected, not a number"),
  );
});

test.each<[message: string, raw: unknown]>([
  ["object expected, not a list", [1]],
  ["object expected, not bytes", BYTES],
  ['there is no attribute "b"', { a: "x", b: "s3cret" }],
  [`there is no attribute "${"b".repeat(80)}"`, { ["b".repeat(81)]: 1 }],
])("what is not a block is refused: %s", (message, raw) => {
  expect(() => decodeMsgpack(encode(raw), of({ a: "string" }))).toThrow(new CtyError(message));
});

test("refuses a forged length before it allocates that much", () => {
  expect(() => decodeMsgpack(Uint8Array.of(0xdf, 0xff, 0xff, 0xff, 0xff), of({}))).toThrow(
    new CtyError("the value is not well-formed msgpack"),
  );
});

test("refuses half a surrogate pair, which has no UTF-8", () => {
  expect(() => encodeMsgpack({ a: "\ud800" }, of({ a: "string" }))).toThrow(
    "a: the text is not well-formed Unicode",
  );
  expect(() => encodeMsgpack({ a: { "\ud800": "" } }, of({ a: ["map", "string"] }))).toThrow(
    "a: the text is not well-formed Unicode",
  );
});

test.each([
  ["the state is not well-formed JSON", '{"a": canary}'],
  ["object expected, not null", "null"],
  ["object expected, not a list", "[]"],
])("a state is refused: %s", (message, json) => {
  expect(() => decodeStoredBlock(Buffer.from(json), of({}))).toThrow(new CtyError(message));
});

test("an attribute that a block lacks is null; a state may have a removed one", () => {
  const attributes = of({ a: "string", b: "bool" });
  const read = [
    decodeMsgpack(encodeMsgpack({ a: "x" }, attributes), attributes),
    decodeStoredBlock(Buffer.from('{"a": "x", "gone": 5}'), attributes),
  ];
  for (const block of read) expect({ ...block }).toEqual({ a: "x", b: null });
});
