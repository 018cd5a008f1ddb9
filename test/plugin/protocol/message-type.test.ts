import fc from "fast-check";
import {
  AttributePathStep,
  ConfigRequest,
  Diagnostic,
  DynamicValue,
  decodeMessage,
  encodeMessage,
  GetProviderSchemaResponse,
  MalformedMessageError,
  OpenEphemeralResourceResponse,
  PrivateRequest,
  Timestamp,
} from "../../../lib/plugin/protocol";
import { PROPERTY } from "../cty/arbitrary";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const bytes = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

test("a message is laid out as Protocol Buffers prescribes", () => {
  expect(
    hex(
      encodeMessage(Diagnostic, {
        severity: 1,
        summary: "é",
        attribute: { steps: [{ attributeName: "a" }] },
      }),
    ),
  ).toBe("0801" + "1202c3a9" + "2205" + "0a03" + "0a0161");
});

test("an index of 0 is written, and not taken for none", () => {
  const encoded = encodeMessage(AttributePathStep, { elementKeyInt: 0 });
  expect(hex(encoded)).toBe("1800");
  expect(decodeMessage(AttributePathStep, encoded)).toEqual({ elementKeyInt: 0 });
});

test("empty private data is not the same as none", () => {
  const empty = encodeMessage(PrivateRequest, { private: new Uint8Array(0) });
  expect(decodeMessage(PrivateRequest, empty).private).toHaveLength(0);
  expect(decodeMessage(PrivateRequest, encodeMessage(PrivateRequest, {})).private).toBeUndefined();
});

test("negative and large integers come back", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.integer({ min: 0, max: 999_999_999 }), (seconds, nanos) => {
      expect(decodeMessage(Timestamp, encodeMessage(Timestamp, { seconds, nanos }))).toEqual({
        seconds,
        nanos,
      });
    }),
    PROPERTY,
  );
});

test("schemas by name, nested messages and bytes come back", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })),
      fc.uint8Array(),
      (descriptions, type) => {
        const dataSourceSchemas = Object.fromEntries(
          Object.entries(descriptions).map(([name, description]) => [
            name,
            { block: { description, attributes: [{ name, type, required: true }] } },
          ]),
        );
        const back = decodeMessage(
          GetProviderSchemaResponse,
          encodeMessage(GetProviderSchemaResponse, { dataSourceSchemas }),
        );
        expect(Object.keys(back.dataSourceSchemas).sort()).toEqual(
          Object.keys(descriptions).sort(),
        );
        for (const [name, description] of Object.entries(descriptions)) {
          expect(back.dataSourceSchemas[name]?.block?.description).toBe(description);
          expect(
            hex(back.dataSourceSchemas[name]?.block?.attributes[0]?.type ?? new Uint8Array(1)),
          ).toBe(hex(type));
        }
      },
    ),
    PROPERTY,
  );
});

test("fields that are not known are passed over, whatever their layout", () => {
  const known = encodeMessage(ConfigRequest, { typeName: "x" });
  const unknown = bytes(
    "98 06 ff01  99 06 0102030405060708  9a 06 03 616263  9d 06 01020304  9b 06 08 01 9b 06 9c 06 9c 06",
  );
  expect(decodeMessage(ConfigRequest, Buffer.concat([unknown, known, unknown])).typeName).toBe("x");
});

test("a known field in another layout counts as unknown", () => {
  expect(decodeMessage(ConfigRequest, bytes("08 05")).typeName).toBe("");
});

test("a message that comes in two pieces is merged", () => {
  const first = encodeMessage(ConfigRequest, { config: { msgpack: Uint8Array.of(1) } });
  const second = encodeMessage(ConfigRequest, { config: { json: Uint8Array.of(2) } });
  const { config } = decodeMessage(ConfigRequest, Buffer.concat([first, second]));
  expect([config?.msgpack[0], config?.json[0]]).toEqual([1, 2]);
});

test.each([
  ["a cut-off varint", "08 ff"],
  ["a varint without end", "08 ffffffffffffffffffff01"],
  ["a length beyond the end", "12 05 61"],
  ["a length beyond 64 bits", "12 ffffffffffffffffff01"],
  ["the field number 0", "00 01"],
  ["a wire type that does not exist", "0f"],
  ["a group without end", "9b 06 08 01"],
  ["a group that ends another", "9b 06 a4 06"],
  ["groups in groups", "9b06".repeat(100)],
  ["a fixed value cut off", "99 06 01"],
])("%s is a MalformedMessageError", (_, text) => {
  expect(() => decodeMessage(Diagnostic, bytes(text))).toThrow(MalformedMessageError);
});

test("whatever bytes come, they are a message or a MalformedMessageError", () => {
  const types = [
    Diagnostic,
    DynamicValue,
    GetProviderSchemaResponse,
    OpenEphemeralResourceResponse,
    Timestamp,
  ] as const;
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.uint8Array({ maxLength: 64 }), (type, input) => {
      try {
        decodeMessage<object>(type, input);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedMessageError);
      }
    }),
    { ...PROPERTY, numRuns: 3000 },
  );
});
