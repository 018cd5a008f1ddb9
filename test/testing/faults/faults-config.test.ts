import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedIdentityService, type FaultsConfig } from "../../../lib/testing";
import { readConfigFile } from "../../../lib/testing/config/config-file";
import { authBody, PASSWORD, post } from "../identity-client-of-a-test";

const config = {
  accountId: "123456",
  serviceUsers: [{ name: "deployer", password: PASSWORD, permission: { account: true } }],
};

async function serve<Result>(
  faults: FaultsConfig,
  use: (identity: EmbeddedIdentityService) => Promise<Result>,
  now: () => number = Date.now,
): Promise<Result> {
  const identity = await EmbeddedIdentityService.start({ ...config, faults }, { now });
  try {
    return await use(identity);
  } finally {
    await identity.stop();
  }
}

const ask = async (identity: EmbeddedIdentityService) =>
  (await post(identity, JSON.stringify(authBody()))).status;

/** The statuses of so many requests, one after the other. */
async function statuses(identity: EmbeddedIdentityService, count: number): Promise<number[]> {
  const seen: number[] = [];
  for (let request = 0; request < count; request++) seen.push(await ask(identity));
  return seen;
}

const BUSY = { kind: "status", status: 503 } as const;
const GONE = { kind: "status", status: 404 } as const;

describe("a script", () => {
  test.each<[string, FaultsConfig, number[]]>([
    ["ends with the service well again", [BUSY, null, GONE], [503, 201, 404, 201, 201]],
    [
      "may go on with its last",
      { script: [null, BUSY], afterwards: "last" },
      [201, 503, 503, 503, 503],
    ],
    ["may be empty", [], [201, 201, 201, 201, 201]],
  ])("%s", async (_what, faults, expected) => {
    expect(await serve(faults, (identity) => statuses(identity, 5))).toEqual(expected);
  });

  test("counts requests of every method, and the journal says what they met", async () => {
    await serve([null, BUSY, { kind: "header", how: "missing" }], async (identity) => {
      await fetch(identity.keystoneUrl);
      await ask(identity);
      await ask(identity);
      expect(
        identity.journal.map(({ method, status, faults, requestId }) => [
          method,
          status,
          faults,
          requestId !== null,
        ]),
      ).toEqual([
        ["GET", 200, undefined, true],
        ["POST", 503, ["status"], false],
        ["POST", 201, ["header"], true],
      ]);
    });
  });

  test("does not reach the service if a proxy answers, and does if the answer gets lost", async () => {
    await serve([BUSY, { kind: "close" }], async (identity) => {
      await ask(identity);
      expect(identity.issuedTokens()).toHaveLength(0);
      await expect(ask(identity)).rejects.toThrow();
      expect(identity.issuedTokens()).toHaveLength(1);
    });
  });

  test("may stand in a configuration file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "iam-faults-"));
    try {
      const file = join(folder, "identity.json");
      writeFileSync(
        file,
        JSON.stringify({ ...config, faults: { script: [BUSY], afterwards: "last" } }),
      );
      const identity = await EmbeddedIdentityService.start(
        readConfigFile(file, {}) as typeof config,
      );
      expect(await ask(identity)).toBe(503);
      await identity.stop();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test("a service of so many issues in a second refuses the next, until the second is over", async () => {
  let now = 10_000;
  await serve(
    { issuesPerSecond: 2, retryAfter: 3 },
    async (identity) => {
      expect(await statuses(identity, 3)).toEqual([201, 201, 429]);
      const refused = await post(identity, JSON.stringify(authBody()));
      expect(refused.headers.get("retry-after")).toBe("3");
      now += 1000;
      expect(await statuses(identity, 3)).toEqual([201, 201, 429]);
    },
    () => now,
  );
});

describe("a wrong configuration is refused with its path", () => {
  test.each<[string, unknown, string]>([
    ["a string", "503", "faults: "],
    ["an unknown kind", [null, { kind: "explode" }], "faults[1].kind: "],
    [
      "a member that the kind does not have",
      [{ kind: "reset", status: 503 }],
      'faults[0]: Unrecognized key: "status"',
    ],
    ["a status that is none", [{ kind: "status", status: 99 }], "faults[0].status: "],
    [
      "a header with a line break",
      [{ kind: "status", status: 200, headers: { a: "b\r\nc: d" } }],
      "faults[0].headers.a: ",
    ],
    [
      "two ways to send one answer",
      [[{ kind: "reset" }, { kind: "late", milliseconds: 1 }]],
      "faults[0]: must have at most one fault",
    ],
    [
      "a wrong member in a list",
      [
        [
          { kind: "status", status: 503 },
          { kind: "body", how: "half" },
        ],
      ],
      "faults[0][1].how: ",
    ],
    [
      "TLS next to another",
      [
        [
          { kind: "status", status: 503 },
          { kind: "tls", how: "expired" },
        ],
      ],
      "faults[0]: must have",
    ],
    ["an unknown way on", { script: [], afterwards: "later" }, "faults.afterwards: "],
    [
      "a script that goes on with nothing",
      { script: [], afterwards: "last" },
      "faults: must have an entry",
    ],
    ["a rate of none", { issuesPerSecond: 0 }, "faults.issuesPerSecond: "],
    [
      "TLS on http",
      [{ kind: "tls", how: "expired" }],
      'faults: has faults of TLS, which need tls: "throw-away"',
    ],
  ])("%s", async (_what, faults, problem) => {
    await expect(
      EmbeddedIdentityService.start({ ...config, faults: faults as FaultsConfig }),
    ).rejects.toMatchObject({
      code: "ERR_TESTING_CONFIG_INVALID",
      problem: expect.stringContaining(problem),
    });
  });
});
