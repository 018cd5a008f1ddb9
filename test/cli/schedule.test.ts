import "../../lib/cli/schedule";
import { cli } from "./run-cli";

const schedule = (...args: readonly string[]) => cli(["schedule", ...args]);
const NONE = ["--missed", "0", "--start-delay", "0s", "--longest-apply", "0s", "--clock", "0s"];
const IN_STATE = 'For a token in the state: rotate_when_remaining = "';
const PUSHED = 'For a pushed token: rotate_every = "10h30m", min_remaining = "23h55m"';

test.each([
  [["--every", "6h"], "Runs every 6h.", "2 x 6h (", `${IN_STATE}12h50m"`],
  [["--every", "6h", ...NONE], "Runs every 6h.", "1 x 6h (", `${IN_STATE}6h"`],
  [["--every", "6h", "--pushed"], "Runs every 6h.", "2 x 6h (", PUSHED],
  [
    ["--cron", "30 */4 * * *", "--missed", "2"],
    "Runs at 30 */4 * * * (UTC), at most 4h apart.",
    "3 x 4h (",
    `${IN_STATE}12h50m"`,
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
  [["--every", "12h"], /leaves a gap: .* Run at least every 11h32m, or tolerate no missed run\./],
  [["--every", "11h30m", "--pushed"], /for a token that is pushed: 2 x 11h30m/],
  [["--cron", "0 6,18 * * MON-FRI"], /2 x 60h/],
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
  [["--every", "six hours"], '--every: "six hours" is not a duration'],
  [["--every", "6h", "--lifetime", "0s"], "--lifetime"],
  [["--every", "6h", "--longest-apply", "x"], '--longest-apply: "x"'],
  [["--every", "6h", "--clock", "x"], '--clock: "x"'],
  [["--every", "6h", "--missed", "12 "], '--missed is "12 "'],
  [["--every", "6h", "--start-delay", "x"], '--start-delay: "x" is not a duration'],
  [["--every", "6h", "--missed", "-1"], '--missed is "-1". Allowed: a whole number from 0 to 1000'],
  [["--cron", "never"], '"never"'],
])("%j is a usage error of one line, with the given value", async (args, said) => {
  const result = await schedule(...args);
  const stderr = expect.stringMatching(/^[^\n]+ \[ERR_USAGE\]\n$/);
  expect(result).toEqual({ exitCode: 2, stdout: "", stderr });
  expect(result.stderr).toContain(said);
});
