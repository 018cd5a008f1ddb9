import { Encoder, ExtData, encode } from "@msgpack/msgpack";
import fc from "fast-check";
import {
  type Attributes,
  decodeMsgpack,
  decodeStoredBlock,
  encodeMsgpack,
} from "../../../lib/plugin/cty/block-value";
import { CtyError, type CtyType, UNKNOWN } from "../../../lib/plugin/cty/value";
import { PROPERTY, typed } from "./arbitrary";

const of = (types: Readonly<Record<string, CtyType>>): Attributes =>
  Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));

test("every value of every type comes back as it went", () => {
  fc.assert(
    fc.property(typed, ({ attributes, block }) => {
      const back = decodeMsgpack(encodeMsgpack(block, attributes), attributes);
      expect(plain(back)).toEqual(plain(block));
    }),
    PROPERTY,
  );
});

/** Without prototypes, which do not matter, and with `__proto__` as the entry that it is. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return new Map(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

test("whatever bytes come, they are a value or a CtyError", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.json().map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(typed, bytes, ({ attributes }, input) => {
      expectCtyErrorAtMost(() => decodeMsgpack(input, attributes));
      expectCtyErrorAtMost(() => decodeStoredBlock(input, attributes));
    }),
    PROPERTY,
  );
});

test("a value of another type is a value or a CtyError", () => {
  fc.assert(
    fc.property(typed, typed, ({ attributes, block }, other) => {
      expectCtyErrorAtMost(() => encodeMsgpack(block, other.attributes));
      expectCtyErrorAtMost(() => decodeMsgpack(encodeMsgpack(block, attributes), other.attributes));
    }),
    PROPERTY,
  );
});

function expectCtyErrorAtMost(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(CtyError);
  }
}

test("unknown is extension 0 with one zero byte, as Terraform writes it", () => {
  expect([...encodeMsgpack({ a: UNKNOWN }, of({ a: "string" }))].slice(-3)).toEqual([0xd4, 0, 0]);
});

test("an extension of any other code is unknown too", () => {
  for (const code of [0, 1, 12, 127, -1]) {
    const bytes = new Encoder().encode({ a: new ExtData(code, new Uint8Array([1, 2, 3])) });
    expect(decodeMsgpack(bytes, of({ a: "string" }))).toMatchObject({ a: UNKNOWN });
  }
});

test("null is a block that is not there", () => {
  expect(decodeMsgpack(encodeMsgpack(null, of({ a: "string" })), of({ a: "string" }))).toBeNull();
});

test.each<[string, unknown, Readonly<Record<string, CtyType>>, string]>([
  ["a number for a string", { a: 1 }, { a: "string" }, "a: string expected, not a number"],
  ["a list for a block", [1], { a: "string" }, "object expected, not a list"],
  ["an attribute too many", { a: "x", b: "y" }, { a: "string" }, 'there is no attribute "b"'],
  [
    "a text that is no number",
    { n: { k: "s3cret" } },
    { n: ["map", "number"] },
    "n.k: number expected, not a string",
  ],
  [
    "a map for a set",
    { s: { a: "x" } },
    { s: ["set", "string"] },
    "s: set expected, not an object",
  ],
  ["no number at all", { n: Number.NaN }, { n: "number" }, "n: number expected, not a number"],
])("%s is told with its path and without its value", (_, raw, types, message) => {
  expect(() => decodeMsgpack(encode(raw), of(types))).toThrow(new CtyError(message));
});

test("a forged length is refused before anything of its size is made", () => {
  expect(() => decodeMsgpack(Uint8Array.of(0xdf, 0xff, 0xff, 0xff, 0xff), of({}))).toThrow(
    "not well-formed msgpack",
  );
});

test("an attribute that a block lacks is null", () => {
  const attributes = of({ a: "string", b: "string" });
  expect(decodeMsgpack(encodeMsgpack({ a: "x" }, attributes), attributes)).toEqual(
    Object.assign(Object.create(null), { a: "x", b: null }),
  );
});

test("half a surrogate pair is refused, since it has no UTF-8", () => {
  expect(() => encodeMsgpack({ a: "\ud800" }, of({ a: "string" }))).toThrow(
    "a: the text is not well-formed Unicode",
  );
  expect(() => encodeMsgpack({ a: { "\ud800": "" } }, of({ a: ["map", "string"] }))).toThrow(
    "a: the text is not well-formed Unicode",
  );
});

test("the message of a state that cannot be read does not quote it", () => {
  expect(() => decodeStoredBlock(Buffer.from('{"a": canary}'), of({ a: "string" }))).toThrow(
    new CtyError("the state is not well-formed JSON"),
  );
});
