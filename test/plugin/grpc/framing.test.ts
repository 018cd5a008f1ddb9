import fc from "fast-check";
import { frame, UnaryMessageReader } from "../../../lib/plugin/grpc/framing";
import { GRPC_STATUS, GrpcError } from "../../../lib/plugin/grpc/status";
import { expectOften } from "../../support/expect-often";
import { fuzz } from "../../support/fuzz";

test("a message has a prefix of its length", () => {
  expect(Buffer.from(frame(Buffer.from("123"))).toString("hex")).toBe("0000000003313233");
});

/** The bytes of a unary call, as gRPC defines them: a message, or the code of the refusal. */
function expected(sent: Buffer): Buffer | number {
  if (sent.length < 5) return GRPC_STATUS.INTERNAL;
  if (sent[0] !== 0) return GRPC_STATUS.UNIMPLEMENTED;
  const length = sent.readUInt32BE(1);
  if (length > 64 * 1024 * 1024) return GRPC_STATUS.RESOURCE_EXHAUSTED;
  return sent.length === 5 + length ? sent.subarray(5) : GRPC_STATUS.INTERNAL;
}

function read(pieces: readonly Uint8Array[]): Buffer | number {
  const reader = new UnaryMessageReader();
  try {
    for (const piece of pieces) reader.push(piece);
    return Buffer.from(reader.finish());
  } catch (error) {
    return error instanceof GrpcError ? error.code : -1;
  }
}

const bytes = fc.uint8Array({ maxLength: 12 });
const sent = fc.oneof(
  bytes,
  bytes.map(frame),
  fc.tuple(bytes.map(frame), bytes).map((parts) => Buffer.concat(parts)),
  fc.tuple(bytes.map(frame), fc.nat({ max: 16 })).map(([all, cut]) => all.subarray(0, cut)),
  fc.tuple(fc.constantFrom(0, 0, 0, 1, 255), fc.nat({ max: 0xffffffff }), bytes).map((given) => {
    const prefix = Buffer.alloc(5, given[0]);
    prefix.writeUInt32BE(given[1], 1);
    return Buffer.concat([prefix, given[2]]);
  }),
);

test("the bytes of a call give the one message or its refusal, however they are cut into pieces", () => {
  fc.assert(
    fc.property(sent, fc.array(fc.nat({ max: 20 }), { maxLength: 6 }), (all, cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), all.length];
      const pieces = places.slice(1).map((end, index) => all.subarray(places[index], end));
      expectOften(read(pieces)).toEqual(expected(Buffer.from(all)));
    }),
    fuzz(5000),
  );
});
