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
  ValidateProviderConfigRequest,
  ValidateProviderConfigResponse,
} from "../../../lib/plugin/protocol/tfplugin6";
import { MalformedMessageError, WireReader } from "../../../lib/plugin/protocol/wire";
import { expectOften } from "../../support/expect-often";
import { anyCharacter, fuzz } from "../../support/fuzz";

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

test("writes an attribute without steps, and distinguishes it from none", () => {
  expect(hex(Diagnostic.encode({ attribute: { steps: [] } }))).toBe("2200");
  expect(Diagnostic.decode(fromHex("2200")).attribute).toEqual({ steps: [] });
  expect(Diagnostic.decode(new Uint8Array(0)).attribute).toBeUndefined();
});

test("reads a negative integer, and writes none", () => {
  const minusOne = fromHex("10 ff ff ff ff ff ff ff ff ff 01");
  expect(UpgradeResourceStateRequest.decode(minusOne).version).toBe(-1);
  for (const version of [-1, 0.5, 2 ** 53])
    expect(() => UpgradeResourceStateRequest.encode({ version })).toThrow(
      new RangeError("an integer field holds whole numbers from 0 to 53 bits"),
    );
});

test("a known field in another layout counts as unknown", () => {
  expect(ConfigRequest.decode(fromHex("08 05")).typeName).toBe("");
});

test("does not write the default of a kind", () => {
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

test.each<{ what: string; bytes: string; problem: string }>([
  { what: "a cut-off varint", bytes: "08 ff", problem: "cut off" },
  {
    what: "a varint without end",
    bytes: "08 ffffffffffffffffffff01",
    problem: "a varint of more than ten bytes",
  },
  { what: "a length beyond the end", bytes: "12 05 61", problem: "a length beyond the end" },
  {
    what: "a length beyond 64 bits",
    bytes: "12 ffffffffffffffffff01",
    problem: "a length beyond the end",
  },
  { what: "the field number 0", bytes: "00 01", problem: "a field number that cannot be" },
  {
    what: "a field number above all",
    bytes: "8080808010 01",
    problem: "a field number that cannot be",
  },
  {
    what: "a wire type that does not exist",
    bytes: "0f",
    problem: "a wire type that cannot be",
  },
  { what: "a group", bytes: "9b 06 08 01 9c 06", problem: "a wire type that cannot be" },
  { what: "a fixed value cut off", bytes: "99 06 01", problem: "a length beyond the end" },
  {
    what: "an integer of 54 bits",
    bytes: "08 8080808080808010",
    problem: "an integer beyond 53 bits",
  },
])("$what is a MalformedMessageError: $problem", ({ bytes: text, problem }) => {
  expect(() => Diagnostic.decode(fromHex(text))).toThrow(new MalformedMessageError(problem));
});

test("the error of a malformed message has its own name", () => {
  expect(new MalformedMessageError("cut off")).toMatchObject({
    name: "MalformedMessageError",
    message: "malformed message: cut off",
  });
});

test("reads the greatest possible field number", () => {
  expect(ConfigRequest.decode(fromHex("f8ffffff0f 01  0a 01 78")).typeName).toBe("x");
});

test("each message has the numbers of Terraform's protocol", () => {
  const nothing = { msgpack: Uint8Array.of(0xc0) };
  expect(
    hex(
      GetProviderSchemaResponse.encode({ serverCapabilities: { getProviderSchemaOptional: true } }),
    ),
  ).toBe("32021001");
  expect(hex(ValidateProviderConfigRequest.encode({ config: nothing }))).toBe("0a030a01c0");
  expect(hex(ValidateProviderConfigResponse.encode({ diagnostics: [{ severity: 1 }] }))).toBe(
    "12020801",
  );
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
    DynamicValue,
    GetProviderSchemaResponse,
    OpenEphemeralResourceResponse,
    UpgradeResourceStateRequest,
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

  /** A number as Protocol Buffers write it, with as many needless bytes as requested. */
  function varint(value: bigint, padding = 0): Buffer {
    const written: number[] = [];
    for (let rest = value; written.length === 0 || rest > 0n; rest >>= 7n)
      written.push(Number(rest & 0x7fn));
    for (let more = padding; more > 0 && written.length < 10; more--) written.push(0);
    return Buffer.from(written.map((byte, at) => (at < written.length - 1 ? byte | 0x80 : byte)));
  }

  test("encoding and decoding keeps a message", () => {
    fc.assert(
      fc.property(tree, (message) => {
        expectOften(plain(Tree.decode(Tree.encode(message)))).toEqual(plain(message));
      }),
      fuzz(),
    );
  });

  test("any 64 bits are read, in however many bytes", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.nat({ max: 9 }),
        (value, more) => {
          const reader = new WireReader(Buffer.concat([varint(value, more), Buffer.of(1)]));
          expectOften(reader.varint()).toBe(value);
          expectOften(reader.varint()).toBe(1n);
          expectOften(reader.done).toBe(true);
        },
      ),
      fuzz(),
    );
  });

  test("two messages behind each other are one: the later fields win, lists are joined, fields that are unknown do not matter", () => {
    const unknown = fc
      .tuple(fc.integer({ min: 2001, max: 0x1fffffff }), fc.constantFrom(0, 1, 2, 5))
      .map(([number, wire]) =>
        Buffer.concat([
          varint(BigInt(number) * 8n + BigInt(wire)),
          { 0: varint(300n), 1: Buffer.alloc(8, 255), 2: fromHex("03 ffffff"), 5: Buffer.alloc(4) }[
            wire as 0
          ],
        ]),
      );
    fc.assert(
      fc.property(tree, tree, unknown, (first, second, between) => {
        const joined = Buffer.concat([Tree.encode(first), between, Tree.encode(second)]);
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
