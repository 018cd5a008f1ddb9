import { parseReattached, reattachVariables } from "../../../lib/cli/run/reattach";

const OURS = "npm.invalid/cdktf-iam-tokens/iam";
const entry = (socket: string) =>
  ({
    Protocol: "grpc",
    ProtocolVersion: 6,
    Pid: 1,
    Test: true,
    Addr: { Network: "unix", String: socket },
  }) as const;

test("attached providers stay attached, and ours replaces an earlier one of ours", () => {
  const other = {
    "example.com/acme/other": { Protocol: "grpc", Extra: [1] },
    [OURS]: entry("/outer/s"),
  };
  const variables = reattachVariables(parseReattached(JSON.stringify(other)), entry("/inner/s"));
  expect(variables.CDKTF_SKIP_PROVIDER_LOCK).toBe("true");
  expect(JSON.parse(variables.TF_REATTACH_PROVIDERS ?? "")).toEqual({
    ...other,
    [OURS]: entry("/inner/s"),
  });
});

test.each([undefined, "", " ", "{}"])("%j attaches nothing", (text) => {
  expect(parseReattached(text)).toEqual({});
});

test.each(["x", "[]", "null", "1", '"a"', "{"])("%s is a usage error", (text) => {
  expect(() => parseReattached(text)).toThrow(expect.objectContaining({ code: "ERR_USAGE" }));
});
