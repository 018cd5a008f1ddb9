import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";

/**
 * Sentences of pages, and their places in lib: in both, # is the number. Then the page's unit; half
 * as long again has a process that has ten seconds for its work.
 */
const PROMISES = `
SECURITY.md: its process group after # s, 64 KiB | provider/secrets/run-command.ts: LIMIT_MS = # s
SECURITY.md: after 30 s, # KiB or Ctrl-C | provider/secrets/run-command.ts: OUTPUT_LIMIT = # KiB
docs/signing-in.md: must end within # s | provider/secrets/run-command.ts: LIMIT_MS = # s
docs/signing-in.md: one line of at most # KiB | provider/secrets/run-command.ts: OUTPUT_LIMIT = # KiB
docs/api/errors.md: A secret is larger than # MiB | provider/secrets/read-regular-file.ts: FILE_LIMIT_BYTES = # MiB
docs/credentials.md: not YAML or above # KiB | provider/credentials/clouds-file.ts: SIZE_LIMIT = # KiB
SECURITY.md: A string of a block above # characters | provider/configuration/block-checks.ts: STRING_LIMIT = #
SECURITY.md: a collection above # elements | provider/configuration/block-checks.ts: ELEMENT_LIMIT = #
SECURITY.md: a block has # at most | provider/configuration/block-checks.ts: MOST_MISTAKES = #
SECURITY.md: by the first # characters, a secret | provider/secrets/known-secrets.ts: BEGINNING = #
SECURITY.md: A 401 is remembered (# s | identity/limits.ts: refusalMs: [# s
SECURITY.md: after the second # s | identity/limits.ts: refusalMs: [2_000, # s
SECURITY.md: then # s): a hundred | identity/limits.ts: refusalMs: [2_000, 10_000, # s
SECURITY.md: because # may be under way | identity/limits.ts: connections: #
SECURITY.md: on Linux, up to # seconds longer | plugin/handover/lifetime.ts: DEFAULT_GRACE_MS = # s
ARCHITECTURE.md: # seconds without launch or connection | plugin/handover/lifetime.ts: DEFAULT_GRACE_MS = # s
ARCHITECTURE.md: its connections held (at most # seconds) | plugin/handover/lifetime.ts: LAST_RELEASE_MS = # s
docs/run.md: and ends, within # seconds | plugin/server/session.ts: MAX_RELEASE_MS = # s
docs/run.md: and ends, within # seconds | cli/run/provider-process.ts: END_MS = # 1.5 s
docs/run.md: , by default # hours) | identity/limits.ts: reuseMs: # h
docs/credentials.md: for a list comes after # s | identity/limits.ts: SILENCE_MS = # s
docs/credentials.md: repeats a request for up to # seconds | identity/limits.ts: totalMs: # s
docs/rotation.md: fails after [# s] | identity/limits.ts: totalMs: # s
docs/api/reference.md: By default # s. | identity/limits.ts: totalMs: # s
docs/rotation.md: within # seconds), and the same plan | identity/limits.ts: validateMs: # s
docs/rotation.md: clock up to # minutes behind | rotation/due.ts: CLOCK_TOLERANCE_MS = # min
docs/rotation.md: of the next # runs | rotation/cron.ts: RUNS = #
docs/rotation.md: 400 runs and # days counts | rotation/cron.ts: DAYS = #
docs/rotation.md: specified service lives # hours | tokens/token-kind.ts: IAM_TOKEN_LIFETIME_MS = # h
docs/synth.md: credential and scope once, # at a time | resolution/issue-tokens.ts: AT_A_TIME = #
docs/testing.md: the newest # requests | testing/keystone/journal.ts: MAX_ENTRIES = #
README.md: service = "http://127.0.0.1:#" | testing/identity-server-command.ts: DEFAULT_PORT = #
`;

const UNITS: Readonly<Record<string, number>> = {
  ...{ s: 1_000, "1.5 s": 1_500, min: 60_000, h: 3_600_000, KiB: 1024, MiB: 1024 * 1024 },
};
const WORDS = "zero one two three four five six seven eight nine ten".split(" ");
const NUMBER = String.raw`(\d{1,3}(?:,\d{3})+|\d[\d_]*(?: \* [\d_]+)*|${WORDS.join("|")})`;

/** The number in a file that stands for the # of a text. */
function numberIn(place: string): number {
  const [, path = "", text = ""] = /^(.*?): (.*)$/.exec(place) ?? [];
  const pattern = text.replace(/[^\w# ]/g, "\\$&").replace("#", NUMBER);
  const found = new RegExp(pattern).exec(readFileSync(join(packageRoot, path), "utf8"))?.[1];
  if (found === undefined) throw new Error(`It is not there: ${place}`);
  if (WORDS.includes(found)) return WORDS.indexOf(found);
  return found
    .replace(/[,_]/g, "")
    .split("*")
    .map(Number)
    .reduce((all, each) => all * each);
}

test.each(PROMISES.trim().split("\n"))("the number of the page is that of lib, %s", (promise) => {
  const [page = "", code = ""] = promise.split(" | ");
  const [, place = "", unit = ""] = /^(.*?#\S*) ?(.*)$/.exec(code) ?? [];
  expect(numberIn(`lib/${place}`)).toBe(numberIn(page) * (UNITS[unit] ?? 1));
});
