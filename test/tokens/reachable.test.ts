import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ERROR_CODES, type ErrorCode, IamTokensError } from "../../lib/tokens";
import { BY_THE_COMMAND } from "./reachable/by-the-command";
import { BY_THE_CONSTRUCTS } from "./reachable/by-the-constructs";
import { BY_THE_PROVIDER } from "./reachable/by-the-provider";
import { BY_THE_RESOLUTION } from "./reachable/by-the-resolution";
import { BY_THE_SERVICE } from "./reachable/by-the-service";
import { BY_THE_TESTING_ENTRY } from "./reachable/by-the-testing-entry";
import type { Producer } from "./reachable/producer";

jest.mock("../../lib/delivery/package-root", () => ({
  installedPackage: () => ({ root: "/no/such/package", version: "0.1.0" }),
  packageVersion: () => "0.1.0",
}));

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const producers = new Map<string, Producer>();
for (const part of [
  BY_THE_PROVIDER,
  BY_THE_SERVICE,
  BY_THE_CONSTRUCTS,
  BY_THE_RESOLUTION,
  BY_THE_COMMAND,
  BY_THE_TESTING_ENTRY,
]) {
  for (const [code, produce] of Object.entries(part)) producers.set(code, produce);
}

test("every code has a producer, and every producer a code", () => {
  expect([...producers.keys()].sort()).toEqual([...CODES].sort());
});

test.each(CODES)("%s is reached", async (code) => {
  const what = await (async () => producers.get(code)?.())().catch((error: unknown) => error);
  // As an error, or in the text in which Terraform, the CDK or the command shows it.
  if (IamTokensError.is(what)) expect(what.code).toBe(code);
  else expect(what).toEqual(expect.stringContaining(`[${code}]`));
});

test.each(CODES)("%s has a meaning and a remedy, each of whole sentences", (code) => {
  const { summary, remedy } = ERROR_CODES[code];
  for (const text of [summary, remedy]) {
    expect(text).toMatch(/^[A-Z].*\.$/);
    expect(text.length).toBeGreaterThan(8);
  }
});

describe("docs/errors.md", () => {
  const page = readFileSync(join(__dirname, "../../docs/errors.md"), "utf8");
  test.each(CODES)("documents %s with its meaning and remedy", (code) => {
    const { summary, remedy } = ERROR_CODES[code];
    for (const text of [code, summary, remedy]) expect(page).toContain(text);
  });

  test("documents no other code", () => {
    const named = new Set(page.match(/\bERR_[A-Z0-9_]+\b/g));
    expect([...named].filter((code) => !(code in ERROR_CODES))).toEqual([]);
  });
});
