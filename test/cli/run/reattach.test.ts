import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  attachedSocket,
  hasOuterProvider,
  parseReattached,
  reattachVariables,
} from "../../../lib/cli/run/reattach";

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

test.each([
  [{}, undefined],
  [{ [OURS]: null }, undefined],
  [{ [OURS]: "x" }, undefined],
  [{ [OURS]: { Addr: { Network: "tcp", String: "127.0.0.1:1" } } }, undefined],
  [{ [OURS]: { Addr: { Network: "unix", String: "" } } }, undefined],
  [{ [OURS]: entry("/outer/s") }, "/outer/s"],
])("the socket of %j is %s", (present, socket) => {
  expect(attachedSocket(present)).toBe(socket);
});

describe("an attached provider", () => {
  let folder: string;
  let server: Server;
  const isUsed = (path = join(folder, "s")) => hasOuterProvider({ [OURS]: entry(path) });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "iam-outer-"));
    server = createServer((connection) => connection.destroy());
    await new Promise<void>((resolve) => server.listen(join(folder, "s"), resolve));
  });
  afterEach(async () => {
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  test("is used if it listens under our address", async () => {
    expect(await isUsed()).toBe(true);
    expect(await hasOuterProvider({ "example.com/acme/other": entry(join(folder, "s")) })).toBe(
      false,
    );
    expect(await isUsed(join(folder, "none", "s"))).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect(await isUsed()).toBe(false);
  });

  test("is not used in a folder that others can enter", async () => {
    chmodSync(folder, 0o755);
    expect(await isUsed()).toBe(false);
  });
});
