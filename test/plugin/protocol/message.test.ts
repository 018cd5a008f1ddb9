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
  GetProviderSchemaResponse,
  OpenEphemeralResourceResponse,
  ValidateProviderConfigRequest,
  ValidateProviderConfigResponse,
} from "../../../lib/plugin/protocol/tfplugin6";
import { MalformedMessageError } from "../../../lib/plugin/protocol/wire";
import { expectOften } from "../../support/expect-often";
import { anyCharacter, fuzz } from "../../support/fuzz";

const hex = (content: Uint8Array) => Buffer.from(content).toString("hex");
const fromHex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

const ATTRIBUTE = {
  ...{ name: "a", type: Buffer.from('"n"'), description: "d", descriptionKind: 1 },
  ...{ required: true, optional: true, computed: true, sensitive: true, writeOnly: true },
};
const BLOCK = { attributes: [ATTRIBUTE], description: "d", descriptionKind: 1 };

test.each<[layout: string, type: MessageType<Fields>, message: object]>([
  ["", Diagnostic, { severity: 0, summary: "" }],
  [
    "0801 1202c3a9 2205 0a03 0a0161",
    Diagnostic,
    { severity: 1, summary: "é", attribute: { steps: [{ attributeName: "a" }] } },
  ],
  // It is not the same as none.
  ["2200", Diagnostic, { attribute: { steps: [] } }],
  [
    "1a05 0a0161 1200 3202 1001",
    GetProviderSchemaResponse,
    {
      dataSourceSchemas: [{ key: "a", value: {} }],
      serverCapabilities: { getProviderSchemaOptional: true },
    },
  ],
  [
    "0a20 121e 1217 0a0161 1203226e22 1a0164 2001 2801 3001 3801 4001 5801 220164 2801",
    GetProviderSchemaResponse,
    { provider: { block: BLOCK } },
  ],
  ["0a03 0a01c0", ValidateProviderConfigRequest, { config: { msgpack: Uint8Array.of(0xc0) } }],
  ["0a00", ValidateProviderConfigRequest, { config: { msgpack: new Uint8Array(0) } }],
  ["1202 0801", ValidateProviderConfigResponse, { diagnostics: [{ severity: 1 }] }],
])('"%s" is a message as Terraform\'s protocol lays it out', (layout, type, message) => {
  expect(hex(type.encode(message))).toBe(layout.replaceAll(" ", ""));
  expect(type.decode(fromHex(layout))).toMatchObject(message);
});

test("an integer field is written only with a whole number from 0 to 53 bits", () => {
  for (const severity of [-1, 0.5, 2 ** 53])
    expect(() => Diagnostic.encode({ severity })).toThrow(
      new RangeError("an integer field holds whole numbers from 0 to 53 bits"),
    );
});

// The other types have their table from an earlier use.
test("a type makes its table of fields when it is first used", () => {
  const Text = new MessageType({ text: string(1) });
  expect(Text.decode(Text.encode({ text: "a" }))).toEqual({ text: "a" });
});

test("a field in another layout counts as unknown; the greatest number is one", () => {
  const sent = fromHex("08 05  f8ffffff0f 01");
  expect(ConfigRequest.decode(sent).typeName).toBe("");
});

test.each([
  ["08 ff", "cut off"],
  ["08 ffffffffffffffffffff01", "a varint of more than ten bytes"],
  ["12 05 61", "a length beyond the end"],
  ["00 01", "a field number that cannot be"],
  ["8080808010 01", "a field number that cannot be"],
  ["0f", "a wire type that cannot be"],
  ["9b 06 08 01 9c 06", "a wire type that cannot be"],
  ["08 8080808080808010", "an integer beyond 53 bits"],
  ["08 ffffffffffffffffff01", "an integer beyond 53 bits"],
])("the bytes %s are malformed: %s", (text, problem) => {
  const decode = () => Diagnostic.decode(fromHex(text));
  expect(decode).toThrow(new MalformedMessageError(problem));
  expect(decode).toThrow(expect.objectContaining({ name: "MalformedMessageError" }));
});

const Leaf = new MessageType({
  ...{ text: string(1), data: bytes(2), flag: bool(15), count: integer(16) },
});
const Tree = new MessageType({ leaf: one(Leaf, 1), leaves: many(Leaf, 2000), name: string(3) });
const leaf = fc.record({
  text: fc.string({ unit: anyCharacter, maxLength: 6 }),
  data: fc.uint8Array({ maxLength: 6 }).map((data) => Buffer.from(data)),
  flag: fc.boolean(),
  count: fc.maxSafeNat(),
});
const tree = fc.record({
  leaf: fc.option(leaf, { nil: undefined }),
  leaves: fc.array(leaf, { maxLength: 3 }),
  name: fc.string({ maxLength: 3 }),
});

test("encoding and decoding keeps a message, and joins two: later fields win, lists are appended, unknown fields do not matter", () => {
  const unknown = fc.constantFrom(
    ...["", "d0fd7e ac02", "d1fd7e ffffffffffffffff", "d2fd7e 03 ffffff", "d5fd7e 00000000"],
  );
  fc.assert(
    fc.property(tree, tree, unknown, (first, second, between) => {
      const joined = Buffer.concat([Tree.encode(first), fromHex(between), Tree.encode(second)]);
      expectOften(Tree.decode(joined)).toEqual({
        leaf: second.leaf ?? first.leaf,
        leaves: [...first.leaves, ...second.leaves],
        name: second.name || first.name,
      });
    }),
    fuzz(),
  );
});

test("any bytes are a message, the same when written again, or a MalformedMessageError that does not repeat them", () => {
  const broken = fc
    .tuple(tree, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 3 }), fc.nat())
    .map(([message, changes, cut]) => {
      const written = Buffer.from(Tree.encode(message));
      for (const [at, byte] of changes) written[at % (written.length + 1)] = byte;
      return written.subarray(0, cut % 4 === 0 ? cut % (written.length + 1) : undefined);
    });
  const input = fc.oneof(
    fc.uint8Array({ maxLength: 64 }).map((given) => Buffer.from(given)),
    broken,
  );
  const types = [Diagnostic, GetProviderSchemaResponse, OpenEphemeralResourceResponse, Tree];
  fc.assert(
    fc.property(fc.constantFrom<MessageType<Fields>>(...types), input, (type, given) => {
      try {
        const message = type.decode(given);
        expectOften(type.decode(type.encode(message))).toEqual(message);
      } catch (error) {
        if (!(error instanceof MalformedMessageError)) throw error;
        expectOften(error.message).toMatch(
          /^malformed message: (cut off|a (length|varint|field number|wire type) [a-z ]+|an integer beyond 53 bits)$/,
        );
      }
    }),
    fuzz(3000),
  );
});
