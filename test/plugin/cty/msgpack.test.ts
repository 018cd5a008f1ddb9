import { Encoder, ExtData, encode } from "@msgpack/msgpack";
import fc from "fast-check";
import {
  CtyError,
  type CtyType,
  Decimal,
  decodeMsgpack,
  encodeMsgpack,
  UNKNOWN,
} from "../../../lib/plugin/cty";
import { PROPERTY, typed } from "./arbitrary";

test("every value of every type comes back as it went", () => {
  fc.assert(
    fc.property(typed, ({ type, value }) => {
      const back = decodeMsgpack(encodeMsgpack(value, type), type);
      expect(plain(back)).toEqual(plain(value));
    }),
    PROPERTY,
  );
});

/** Without prototypes, which do not matter, and with `__proto__` as the entry that it is. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Decimal || typeof value !== "object" || value === null) return value;
  return new Map(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

test("whatever bytes come, they are a value or a CtyError", () => {
  fc.assert(
    fc.property(typed, fc.uint8Array({ maxLength: 40 }), ({ type }, bytes) => {
      expectCtyErrorAtMost(() => decodeMsgpack(bytes, type));
    }),
    PROPERTY,
  );
});

test("a value of another type is a value or a CtyError", () => {
  fc.assert(
    fc.property(typed, typed, ({ type, value }, other) => {
      expectCtyErrorAtMost(() => encodeMsgpack(value, other.type));
      expectCtyErrorAtMost(() => decodeMsgpack(encodeMsgpack(value, type), other.type));
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
  expect([...encodeMsgpack(UNKNOWN, "string")]).toEqual([0xd4, 0, 0]);
});

test("an extension of any other code is unknown too", () => {
  for (const code of [0, 1, 12, 127, -1]) {
    expect(
      decodeMsgpack(new Encoder().encode(new ExtData(code, new Uint8Array([1, 2, 3]))), "string"),
    ).toBe(UNKNOWN);
  }
});

test("a type and bytes stand for a value whose type is dynamic", () => {
  const bytes = encode([Buffer.from('["map","number"]'), { a: 1 }]);
  expect(decodeMsgpack(bytes, "dynamic")).toEqual(Object.assign(Object.create(null), { a: 1 }));
});

test.each<[string, unknown, CtyType, string]>([
  [
    "a number for a string",
    { a: 1 },
    ["object", { a: "string" }],
    "a: string expected, not a number",
  ],
  ["a list for an object", [1], ["object", { a: "string" }], "object expected, not a list"],
  [
    "an attribute too many",
    { a: "x", b: "y" },
    ["object", { a: "string" }],
    'there is no attribute "b"',
  ],
  ["an attribute too few", {}, ["object", { a: "string" }], 'the attribute "a" is missing'],
  ["a tuple too short", ["x"], ["tuple", ["string", "string"]], "2 elements expected, not 1"],
  [
    "a text that is no number",
    { n: { k: ["s3cret"] } },
    ["object", { n: ["map", ["list", "number"]] }],
    "n.k.0: number expected, not a string",
  ],
  ["no type beside a dynamic value", "x", "dynamic", "a type and a value expected, not a string"],
])("%s is told with its path and without its value", (_, raw, type, message) => {
  expect(() => decodeMsgpack(encode(raw), type)).toThrow(new CtyError(message));
});

test("a forged length is refused before anything of its size is made", () => {
  expect(() =>
    decodeMsgpack(Uint8Array.of(0xdd, 0xff, 0xff, 0xff, 0xff), ["list", "string"]),
  ).toThrow("not well-formed msgpack");
});

test("an attribute that a result lacks is null", () => {
  const type: CtyType = ["object", { a: "string", b: "string" }];
  expect(decodeMsgpack(encodeMsgpack({ a: "x" }, type), type)).toEqual(
    Object.assign(Object.create(null), { a: "x", b: null }),
  );
});

test("half a surrogate pair is refused, since it has no UTF-8", () => {
  expect(() => encodeMsgpack({ a: "\ud800" }, ["object", { a: "string" }])).toThrow(
    "a: the text is not well-formed Unicode",
  );
});

test("no number at all is refused", () => {
  expect(() => encodeMsgpack(Number.NaN, "number")).toThrow(CtyError);
  expect(() => encodeMsgpack(new Decimal("1; drop"), "number")).toThrow(CtyError);
});
