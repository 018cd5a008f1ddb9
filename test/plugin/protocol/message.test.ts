import fc from "fast-check";
import {
  bool,
  bytes,
  type Fields,
  integer,
  MessageType,
  many,
  one,
  string,
} from "../../../lib/plugin/protocol/message";
import {
  ConfigRequest,
  Diagnostic,
  DynamicValue,
  GetProviderSchemaResponse,
  OpenEphemeralResourceResponse,
  UpgradeResourceStateRequest,
} from "../../../lib/plugin/protocol/tfplugin6";
import { MalformedMessageError } from "../../../lib/plugin/protocol/wire";
import { PROPERTY } from "../cty/arbitrary";

const hex = (content: Uint8Array) => Buffer.from(content).toString("hex");
const fromHex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

test("a message is laid out as Protocol Buffers prescribes", () => {
  const encoded = Diagnostic.encode({
    severity: 1,
    summary: "é",
    attribute: { steps: [{ attributeName: "a" }] },
  });
  expect(hex(encoded)).toBe("0801" + "1202c3a9" + "2205" + "0a03" + "0a0161");
});

test("an attribute without steps is written, and not taken for none", () => {
  expect(hex(Diagnostic.encode({ attribute: { steps: [] } }))).toBe("2200");
  expect(Diagnostic.decode(fromHex("2200")).attribute).toEqual({ steps: [] });
  expect(Diagnostic.decode(new Uint8Array(0)).attribute).toBeUndefined();
});

test("integers come back, and negative ones are read", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (version) => {
      const encoded = UpgradeResourceStateRequest.encode({ version });
      expect(UpgradeResourceStateRequest.decode(encoded).version).toBe(version);
    }),
    PROPERTY,
  );
  const minusOne = fromHex("10 ff ff ff ff ff ff ff ff ff 01");
  expect(UpgradeResourceStateRequest.decode(minusOne).version).toBe(-1);
  for (const version of [-1, 0.5, 2 ** 53])
    expect(() => UpgradeResourceStateRequest.encode({ version })).toThrow(RangeError);
});

test("schemas by name, nested messages and bytes come back", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })),
      fc.uint8Array(),
      (descriptions, type) => {
        const dataSourceSchemas = Object.entries(descriptions).map(([key, description]) => ({
          key,
          value: { block: { description, attributes: [{ name: key, type, required: true }] } },
        }));
        const back = GetProviderSchemaResponse.decode(
          GetProviderSchemaResponse.encode({ dataSourceSchemas }),
        );
        expect(back.dataSourceSchemas.map(({ key }) => key)).toEqual(Object.keys(descriptions));
        for (const { key, value } of back.dataSourceSchemas) {
          expect(value?.block?.description).toBe(descriptions[key]);
          expect(hex(value?.block?.attributes[0]?.type ?? new Uint8Array(1))).toBe(hex(type));
        }
      },
    ),
    PROPERTY,
  );
});

test("fields that are not known are passed over, whatever their layout", () => {
  const known = ConfigRequest.encode({ typeName: "x" });
  const unknown = fromHex("98 06 ff01  99 06 0102030405060708  9a 06 03 616263  9d 06 01020304");
  expect(ConfigRequest.decode(Buffer.concat([unknown, known, unknown])).typeName).toBe("x");
});

test("a known field in another layout counts as unknown", () => {
  expect(ConfigRequest.decode(fromHex("08 05")).typeName).toBe("");
});

test("a message that comes in two pieces is merged", () => {
  const Inner = new MessageType({ a: bytes(1), b: bytes(2) });
  const Outer = new MessageType({ inner: one(Inner, 1) });
  const first = Outer.encode({ inner: { a: Uint8Array.of(1) } });
  const second = Outer.encode({ inner: { b: Uint8Array.of(2) } });
  const { inner } = Outer.decode(Buffer.concat([first, second]));
  expect([inner?.a[0], inner?.b[0]]).toEqual([1, 2]);
});

test("a value that is the default of its kind is not written", () => {
  const All = new MessageType({
    text: string(1),
    data: bytes(2),
    flag: bool(3),
    count: integer(4),
    list: many(DynamicValue, 5),
  });
  const defaults = { text: "", data: new Uint8Array(0), flag: false, count: 0, list: [] };
  expect(All.encode(defaults)).toHaveLength(0);
  expect(All.decode(new Uint8Array(0))).toEqual(defaults);
});

test.each([
  ["a cut-off varint", "08 ff"],
  ["a varint without end", "08 ffffffffffffffffffff01"],
  ["a length beyond the end", "12 05 61"],
  ["a length beyond 64 bits", "12 ffffffffffffffffff01"],
  ["the field number 0", "00 01"],
  ["a wire type that does not exist", "0f"],
  ["a group", "9b 06 08 01 9c 06"],
  ["a fixed value cut off", "99 06 01"],
])("%s is a MalformedMessageError", (_, text) => {
  expect(() => Diagnostic.decode(fromHex(text))).toThrow(MalformedMessageError);
});

test("whatever bytes come, they are a message or a MalformedMessageError", () => {
  const types: readonly MessageType<Fields>[] = [
    Diagnostic,
    DynamicValue,
    GetProviderSchemaResponse,
    OpenEphemeralResourceResponse,
    UpgradeResourceStateRequest,
  ];
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.uint8Array({ maxLength: 64 }), (type, input) => {
      try {
        type.decode(input);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedMessageError);
      }
    }),
    { ...PROPERTY, numRuns: 3000 },
  );
});
