import { cli } from "./run-cli";

test("a schedule without a gap: first what it survives, without alarming words, its sum, and the settings to configure", async () => {
  const { exitCode, stdout, stderr } = await cli(["schedule", "--every", "6h"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain(
    "2 x 6h (the interval; 1 run may be missed) + 15m (start delay) + 30m (longest apply) + 2 x 5m",
  );
  expect(stdout).toContain('rotate_when_remaining = "12h50m"');
  expect(stdout).toContain('rotate_every = "10h30m", min_remaining = "23h55m"');
  const survived =
    "It leaves no gap. It survives 1 missed run in a row, a start delay of 15m, " +
    "an apply of 30m, clocks 5m apart, all at once.";
  expect(stdout.split("\n")[2]).toBe(survived);
  const none = ["--missed", "0", "--start-delay", "0s", "--longest-apply", "0s", "--clock", "0s"];
  expect((await cli(["schedule", "--every", "6h", ...none])).stdout).toMatch(
    /^It leaves no gap\.$/m,
  );
  expect((await cli(["schedule", "--every", "12h"])).stdout).not.toContain("survives");
});

test.each([
  [
    [],
    'The schedule is missing. Give how often it runs, "--every 6h", or when, "--cron \'0 */6 * * *\'".',
  ],
  [
    ["--every", "6h", "--cron", "0 * * * *"],
    "--every and --cron are both given; a schedule has one of them. Remove one of them.",
  ],
])("with %j it says which option to give, without a lesson in grammar", async (args, text) => {
  expect(await cli(["schedule", ...args])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `${text} [ERR_USAGE]\n`,
  });
});

test("a schedule with a gap: exit code 1, and the nearest schedules without one", async () => {
  const { exitCode, stdout, stderr } = await cli(["schedule", "--every", "12h"]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^The schedule leaves a gap: .* Run at least every 11h32m, or tolerate no missed run\. \[ERR_SCHEDULE_GAP\]\n$/,
  );
  expect(stdout).toContain("It leaves a gap.");
});

test("a token that is pushed needs more", async () => {
  expect((await cli(["schedule", "--every", "11h30m"])).exitCode).toBe(0);
  const { exitCode, stderr } = await cli(["schedule", "--every", "11h30m", "--pushed"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("for a token that is pushed: 2 x 11h30m");
});

test("uses the longest pause of a cron expression", async () => {
  const { exitCode, stderr } = await cli(["schedule", "--cron", "0 6,18 * * MON-FRI"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("2 x 60h");
});

test.each([
  [["--every", "six hours"], "ERR_DURATION_INVALID"],
  [["--every", "-6h"], "ERR_DURATION_INVALID"],
  [["--every", "6h", "--lifetime", "0s"], "ERR_DURATION_INVALID"],
  [["--every", "6h", "--clock", "5"], "ERR_DURATION_INVALID"],
  [["--every", "6h", "--start-delay", "x"], '--start-delay: "x" is not a duration'],
  [["--every", "6h", "--missed", "-1"], '--missed is "-1". Allowed: a whole number from 0 to 1000'],
  [["--every", "6h", "--missed", "1.5"], "ERR_SCHEDULE_INVALID"],
  [["--every", "6h", "--missed", "1e3"], "ERR_SCHEDULE_INVALID"],
  [["--cron", "never"], "ERR_SCHEDULE_INVALID"],
])(
  "%j is refused in one line, with the values and options that were given: %s",
  async (args, said) => {
    const { exitCode, stdout, stderr } = await cli(["schedule", ...args]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(/^[^\n]+ \[ERR_(DURATION|SCHEDULE)_INVALID\]\n$/);
    expect(stderr).toContain(said);
  },
);
