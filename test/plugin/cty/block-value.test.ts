import { Encoder, ExtData, encode } from "@msgpack/msgpack";
import fc from "fast-check";
import {
  type Attributes,
  decodeMsgpack,
  decodeStoredBlock,
  encodeMsgpack,
} from "../../../lib/plugin/cty/block-value";
import { CtyError, type CtyObject, type CtyType, UNKNOWN } from "../../../lib/plugin/cty/value";
import { expectOften } from "../../support/expect-often";
import { fuzz } from "../../support/fuzz";
import { typed } from "./arbitrary";

const of = (types: Readonly<Record<string, CtyType>>): Attributes =>
  Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));

test("encoding and decoding keeps every value of every type", () => {
  fc.assert(
    fc.property(typed, ({ attributes, block }) => {
      const back = decodeMsgpack(encodeMsgpack(block, attributes), attributes);
      expectOften(plain(back)).toEqual(plain(block));
    }),
    fuzz(400),
  );
});

test("encoding and decoding keeps a stored state", () => {
  fc.assert(
    fc.property(typed, ({ attributes, block }) => {
      fc.pre(!hasUnknown(block));
      const json = Buffer.from(JSON.stringify(block));
      expectOften(plain(decodeStoredBlock(json, attributes))).toEqual(plain(block));
    }),
    fuzz(400),
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

test("a value of another type is a value or a CtyError, which repeats no text of it", () => {
  const BOOL = { type: "bool" } as const;
  const canary = (value: unknown): unknown => {
    if (typeof value === "string") return "CANARY";
    if (Array.isArray(value)) return value.map(canary);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, canary(each)]));
  };
  fc.assert(
    fc.property(typed, typed, ({ attributes, block }, other) => {
      const secret = canary(block) as CtyObject;
      const types = [...Object.values(other.attributes), BOOL];
      const mixed = Object.fromEntries(
        Object.keys(attributes).map((name, at) => [name, types[at % types.length] ?? BOOL]),
      );
      expectCtyErrorAtMost(() => encodeMsgpack(secret, other.attributes));
      expectCtyErrorAtMost(() => decodeMsgpack(encodeMsgpack(secret, attributes), mixed));
      expectCtyErrorAtMost(() => decodeStoredBlock(Buffer.from(JSON.stringify(secret)), mixed));
    }),
    fuzz(400),
  );
});

function expectCtyErrorAtMost(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof CtyError)) throw error;
    expect(error.message).not.toContain("CANARY");
  }
}

test("unknown is extension 0 with one zero byte, as Terraform writes it", () => {
  expect([...encodeMsgpack({ a: UNKNOWN }, of({ a: "string" }))].slice(-3)).toEqual([0xd4, 0, 0]);
});

test("an extension of any other code is unknown as well", () => {
  for (const code of [0, 1, 12, 127, -1]) {
    const bytes = new Encoder().encode({ a: new ExtData(code, new Uint8Array([1, 2, 3])) });
    expect(decodeMsgpack(bytes, of({ a: "string" }))).toMatchObject({ a: UNKNOWN });
  }
});

test("null is a missing block", () => {
  expect(decodeMsgpack(encodeMsgpack(null, of({ a: "string" })), of({ a: "string" }))).toBeNull();
});

const BYTES = new Uint8Array(1);
test.each<{ of?: CtyType; raw: unknown; message: string }>([
  { of: "string", raw: 1, message: "a: string expected, not a number" },
  { of: "string", raw: true, message: "a: string expected, not a bool" },
  { of: "string", raw: ["s3cret"], message: "a: string expected, not a list" },
  { of: "string", raw: { a: "s3cret" }, message: "a: string expected, not an object" },
  { of: "string", raw: BYTES, message: "a: string expected, not bytes" },
  { of: "number", raw: "1", message: "a: number expected, not a string" },
  { of: "number", raw: Number.NaN, message: "a: number expected, not a number" },
  { of: "number", raw: Number.POSITIVE_INFINITY, message: "a: number expected, not a number" },
  { of: "bool", raw: "true", message: "a: bool expected, not a string" },
  { of: ["set", "string"], raw: { a: "x" }, message: "a: set expected, not an object" },
  { of: ["set", "string"], raw: ["x", 1], message: "a.1: string expected, not a number" },
  { of: ["map", "string"], raw: ["x"], message: "a: map expected, not a list" },
  { of: ["map", "string"], raw: BYTES, message: "a: map expected, not bytes" },
  { of: ["map", "number"], raw: { k: "s3cret" }, message: "a.k: number expected, not a string" },
])("$raw is not taken for a $of", ({ of: type = "string", raw, message }) => {
  expect(() => decodeMsgpack(encode({ a: raw }), of({ a: type }))).toThrow(new CtyError(message));
});

test.each<{ raw: unknown; message: string }>([
  { raw: [1], message: "object expected, not a list" },
  { raw: "s3cret", message: "object expected, not a string" },
  { raw: BYTES, message: "object expected, not bytes" },
  { raw: { a: "x", b: "s3cret" }, message: 'there is no attribute "b"' },
])("$raw is not taken for a block", ({ raw, message }) => {
  expect(() => decodeMsgpack(encode(raw), of({ a: "string" }))).toThrow(new CtyError(message));
});

test("an error has its problem and its path apart", () => {
  const error = new CtyError("bool expected", ["a", 1]);
  expect(error).toMatchObject({ name: "CtyError", problem: "bool expected", path: ["a", 1] });
  expect(error.message).toBe("a.1: bool expected");
});

test("refuses a forged length before it allocates that much", () => {
  expect(() => decodeMsgpack(Uint8Array.of(0xdf, 0xff, 0xff, 0xff, 0xff), of({}))).toThrow(
    new CtyError("the value is not well-formed msgpack"),
  );
});

test("an attribute that a block lacks is null", () => {
  const attributes = of({ a: "string", b: "string" });
  expect(decodeMsgpack(encodeMsgpack({ a: "x" }, attributes), attributes)).toEqual(
    Object.assign(Object.create(null), { a: "x", b: null }),
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

test("the message of a state that cannot be read does not quote it", () => {
  expect(() => decodeStoredBlock(Buffer.from('{"a": canary}'), of({ a: "string" }))).toThrow(
    new CtyError("the state is not well-formed JSON"),
  );
});

test.each([
  { json: "null", message: "object expected, not null" },
  { json: "[]", message: "object expected, not a list" },
  { json: '"s3cret"', message: "object expected, not a string" },
])("the state $json is not taken for a block", ({ json, message }) => {
  expect(() => decodeStoredBlock(Buffer.from(json), of({}))).toThrow(new CtyError(message));
});

test("a state may lack an attribute, and have a removed one", () => {
  const stored = Buffer.from('{"a": "x", "gone": 5}');
  expect({ ...decodeStoredBlock(stored, of({ a: "string", b: "bool" })) }).toEqual({
    a: "x",
    b: null,
  });
});
