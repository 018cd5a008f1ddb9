import "../../lib/cli/schedule";
import { cli } from "./run-cli";

const schedule = (...args: readonly string[]) => cli(["schedule", ...args]);
const NONE = ["--missed", "0", "--start-delay", "0s", "--longest-apply", "0s", "--clock", "0s"];
const IN_STATE = 'For a token in the state: rotate_when_remaining = "';

test.each([
  [["--every", "6h"], "Runs every 6h.", "2 x (6h (", `${IN_STATE}18h50m"`],
  [["--every", "6h", ...NONE], "Runs every 6h.", "6h (", `${IN_STATE}6h"`],
  [
    ["--every", "6h", "--read-back"],
    "Runs every 6h.",
    "2 x 6h (",
    'For a token in the state whose every consumer is read back: rotate_when_remaining = "12h50m"',
  ],
  [
    ["--every", "6h", "--pushed"],
    "Runs every 6h.",
    "2 x (6h (",
    'For a pushed token: rotate_every = "4h47m30s", min_remaining = "23h55m"',
  ],
  [
    ["--every", "1h", "--pushed", "--stored"],
    "Runs every 1h.",
    "2 x 1h (",
    'For a pushed token, with stored_token_wo: rotate_every = "20h30m", min_remaining = "23h55m"',
  ],
  [
    ["--cron", "30 */4 * * *", "--missed", "2"],
    "Runs at 30 */4 * * * (UTC), at most 4h apart.",
    "3 x (4h (",
    `${IN_STATE}20h50m"`,
  ],
])("%j leaves no gap: its sum, and the arguments", async (args, title, sum, values) => {
  expect(await schedule(...args)).toEqual({
    exitCode: 0,
    stderr: "",
    stdout: expect.stringContaining(`${title}\nIt leaves no gap.\n${sum}`),
  });
  expect((await schedule(...args)).stdout.trimEnd().split("\n").at(-1)).toBe(values);
});

test.each([
  [["--every", "12h"], /leaves a gap for .* Run at least every 11h4m, or tolerate no missed run\./],
  [["--every", "11h", "--pushed"], /for a token that is pushed: 2 x \(11h/],
  [["--cron", "0 6,18 * * MON-FRI", "--read-back"], /2 x 60h/],
])(
  "%j leaves a gap: exit code 1, the sum, and the nearest schedules without one",
  async (args, said) => {
    const result = await schedule(...args);
    expect(result).toEqual({
      exitCode: 1,
      stdout: expect.stringMatching(/^Runs [^\n]*\n$/),
      stderr: expect.stringMatching(/^The schedule leaves a gap[^\n]* \[ERR_SCHEDULE_GAP\]\n$/),
    });
    expect(result.stderr).toMatch(said);
  },
);

test.each([
  [
    [],
    'The schedule is missing. Give how often it runs, "--every 6h", or when, "--cron \'0 */6 * * *\'".',
  ],
  [
    ["--every", "6h", "--cron", "0 * * * *"],
    "'--every <duration>' cannot be used with option '--cron <expression>'",
  ],
  [["--every", "6h", "--stored"], "--stored is given without --pushed."],
  [["--every", "6h", "--pushed", "--read-back"], "cannot be used with option '--read-back'"],
  [["--every", "six hours"], "--every: the given text is not a duration"],
  [["--every", "6h", "--lifetime", "0s"], "--lifetime"],
  [["--every", "6h", "--longest-apply", "x"], "--longest-apply: the given text"],
  [["--every", "6h", "--clock", "x"], "--clock: the given text"],
  [["--every", "6h", "--missed", "12 "], '--missed is "12 "'],
  [["--every", "6h", "--start-delay", "x"], "--start-delay: the given text is not a duration"],
  [["--every", "6h", "--missed", "-1"], '--missed is "-1". Allowed: a whole number from 0 to 1000'],
  [["--cron", "never"], '"never"'],
])("%j is a usage error of one line, with its option", async (args, said) => {
  const result = await schedule(...args);
  const stderr = expect.stringMatching(/^[^\n]+ \[ERR_USAGE\]\n$/);
  expect(result).toEqual({ exitCode: 2, stdout: "", stderr });
  expect(result.stderr).toContain(said);
});
