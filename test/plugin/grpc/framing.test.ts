import { parseGrpcTimeout } from "../../../lib/plugin/grpc/call";
import { frame, UnaryMessageReader } from "../../../lib/plugin/grpc/framing";
import { encodeStatusMessage } from "../../../lib/plugin/grpc/status";

test.each([
  ["1H", 3_600_000],
  ["2M", 120_000],
  ["3S", 3000],
  ["4m", 4],
  ["5u", 1],
  ["99999999n", 100],
  ["99999999H", undefined],
  ["123456789S", undefined],
  ["1", undefined],
  ["-1S", undefined],
  ["1s", undefined],
  ["", undefined],
  [undefined, undefined],
])("the timeout %s is %s milliseconds", (header, milliseconds) => {
  expect(parseGrpcTimeout(header)).toBe(milliseconds);
});

test("a status message is printable ASCII, whatever it says", () => {
  expect(encodeStatusMessage("a é%\r\n\u0000~")).toBe("a %C3%A9%25%0D%0A%00~");
});

test("a message is put together from whatever pieces it comes in", () => {
  const message = Buffer.from("a message of some length");
  const framed = frame(message);
  for (let size = 1; size <= framed.length; size++) {
    const reader = new UnaryMessageReader();
    for (let at = 0; at < framed.length; at += size) reader.push(framed.subarray(at, at + size));
    expect(Buffer.from(reader.finish())).toEqual(message);
  }
});

test("a message larger than the limit is refused at its prefix", () => {
  const prefix = Buffer.from("00ffffffff", "hex");
  expect(() => new UnaryMessageReader().push(prefix)).toThrow(
    "A message of 4294967295 bytes is larger than 67108864.",
  );
  expect(Buffer.from(frame(Buffer.from("123"))).toString("hex")).toBe("0000000003313233");
});
