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
  UpgradeResourceStateRequest,
  ValidateProviderConfigRequest,
  ValidateProviderConfigResponse,
} from "../../../lib/plugin/protocol/tfplugin6";
import { MalformedMessageError } from "../../../lib/plugin/protocol/wire";
import { expectOften } from "../../support/expect-often";
import { anyCharacter, fuzz } from "../../support/fuzz";

const hex = (content: Uint8Array) => Buffer.from(content).toString("hex");
const fromHex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

test("a message is laid out as Protocol Buffers prescribes, with the numbers of Terraform's protocol", () => {
  const encoded = Diagnostic.encode({
    severity: 1,
    summary: "é",
    attribute: { steps: [{ attributeName: "a" }] },
  });
  expect(hex(Diagnostic.encode({ severity: 0, summary: "" }))).toBe("");
  expect(hex(encoded)).toBe("0801" + "1202c3a9" + "2205" + "0a03" + "0a0161");
  const schema = { serverCapabilities: { getProviderSchemaOptional: true } };
  expect(hex(GetProviderSchemaResponse.encode(schema))).toBe("32021001");
  const attribute = {
    ...{ name: "a", type: Buffer.from('"n"'), description: "d", descriptionKind: 1 },
    ...{ required: true, optional: true, computed: true, sensitive: true, writeOnly: true },
  };
  const block = { version: 3, attributes: [attribute], description: "d", descriptionKind: 1 };
  expect(hex(GetProviderSchemaResponse.encode({ provider: { version: 2, block } }))).toBe(
    "0a2408021220080312170a01611203226e221a01642001280130013801400158012201642801",
  );
  const config = { msgpack: Uint8Array.of(0xc0) };
  expect(hex(ValidateProviderConfigRequest.encode({ config }))).toBe("0a030a01c0");
  expect(hex(ValidateProviderConfigResponse.encode({ diagnostics: [{ severity: 1 }] }))).toBe(
    "12020801",
  );
});

test("an attribute without steps is not the same as none", () => {
  expect(hex(Diagnostic.encode({ attribute: { steps: [] } }))).toBe("2200");
  expect(Diagnostic.decode(fromHex("2200")).attribute).toEqual({ steps: [] });
  const nothing = { severity: 0, summary: "", detail: "", attribute: undefined };
  expect(Diagnostic.decode(new Uint8Array(0))).toEqual(nothing);
});

test("reads a negative integer, and writes none", () => {
  const minusOne = fromHex("10 ff ff ff ff ff ff ff ff ff 01");
  expect(UpgradeResourceStateRequest.decode(minusOne).version).toBe(-1);
  for (const version of [-1, 0.5, 2 ** 53])
    expect(() => UpgradeResourceStateRequest.encode({ version })).toThrow(
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
])("the bytes %s are malformed: %s", (text, problem) => {
  const decode = () => Diagnostic.decode(fromHex(text));
  expect(decode).toThrow(new MalformedMessageError(problem));
  expect(decode).toThrow(expect.objectContaining({ name: "MalformedMessageError" }));
});

describe("fuzzing", () => {
  const Leaf = new MessageType({
    text: string(1),
    data: bytes(2),
    flag: bool(15),
    count: integer(16),
  });
  const Tree = new MessageType({ leaf: one(Leaf, 1), leaves: many(Leaf, 2000), name: string(3) });

  const leaf = fc.record({
    text: fc.string({ unit: anyCharacter, maxLength: 6 }),
    data: fc.uint8Array({ maxLength: 6 }),
    flag: fc.boolean(),
    count: fc.maxSafeNat(),
  });
  const tree = fc.record({
    leaf: fc.option(leaf, { nil: undefined }),
    leaves: fc.array(leaf, { maxLength: 3 }),
    name: fc.string({ maxLength: 3 }),
  });
  const types: readonly MessageType<Fields>[] = [
    Diagnostic,
    GetProviderSchemaResponse,
    OpenEphemeralResourceResponse,
    Tree,
  ];

  /** With bytes in hexadecimal. */
  function plain(value: unknown): unknown {
    if (value instanceof Uint8Array) return hex(value);
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
  }

  /** Which are read, and not written. */
  const hasNegative = (message: unknown) => /:-\d/.test(JSON.stringify(plain(message)));

  test("encoding and decoding keeps a message, and joins two: later fields win, lists are appended, unknown fields do not matter", () => {
    const unknown = fc.constantFrom(
      ...["", "d0fd7e ac02", "d1fd7e ffffffffffffffff", "d2fd7e 03 ffffff", "d5fd7e 00000000"],
    );
    fc.assert(
      fc.property(tree, tree, unknown, (first, second, between) => {
        const joined = Buffer.concat([Tree.encode(first), fromHex(between), Tree.encode(second)]);
        const either =
          first.leaf === undefined || second.leaf === undefined
            ? (first.leaf ?? second.leaf)
            : {
                text: second.leaf.text || first.leaf.text,
                data: second.leaf.data.length > 0 ? second.leaf.data : first.leaf.data,
                flag: second.leaf.flag || first.leaf.flag,
                count: second.leaf.count || first.leaf.count,
              };
        expectOften(plain(Tree.decode(joined))).toEqual(
          plain({
            leaf: either,
            leaves: [...first.leaves, ...second.leaves],
            name: second.name || first.name,
          }),
        );
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
    const input = fc.oneof(fc.uint8Array({ maxLength: 64 }), broken);
    fc.assert(
      fc.property(fc.constantFrom(...types), input, (type, given) => {
        try {
          const message = type.decode(given);
          if (!hasNegative(message))
            expectOften(plain(type.decode(type.encode(message)))).toEqual(plain(message));
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
});
