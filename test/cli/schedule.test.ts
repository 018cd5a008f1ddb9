import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli } from "./run-cli";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "iam-schedule-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ESCAPE = "\u001b";

test("a schedule without a gap: first what it survives, without alarming words, its sum, the settings to configure, and both timelines", async () => {
  const { exitCode, stdout, stderr } = await cli(["schedule", "--every", "6h"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain(
    "2 x 6h (the interval; 1 run may be missed) + 15m (start delay) + 30m (longest apply) + 2 x 5m",
  );
  expect(stdout).toContain('rotate_when_remaining = "12h50m"');
  expect(stdout).toContain('rotate_every = "10h30m", min_remaining = "23h55m"');
  expect(stdout).toContain("As planned: the old token has 12h to spare");
  expect(stdout).toContain("At its worst: the old token is replaced exactly when it expires");
  const survived =
    "It leaves no gap. It survives 1 missed run in a row, a start delay of 15m, " +
    "an apply of 30m, clocks 5m apart, all at once.";
  expect(stdout.split("\n")[2]).toBe(survived);
  expect(stdout).not.toMatch(/\bjust as\b|\bdead token\b/);
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

test("a schedule with a gap: exit code 1, the nearest schedules without one, and the gap in the timeline", async () => {
  const { exitCode, stdout, stderr } = await cli(["schedule", "--every", "12h"]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^The schedule leaves a gap: .* Run at least every 11h32m, or tolerate no missed run\. \[ERR_SCHEDULE_GAP\]\n$/,
  );
  expect(stdout).toContain("It leaves a gap.");
  expect(stdout).toMatch(/^token 1 +=+!+$/m);
});

test("a token that is pushed needs more", async () => {
  expect((await cli(["schedule", "--every", "11h30m"])).exitCode).toBe(0);
  const { exitCode, stderr } = await cli(["schedule", "--every", "11h30m", "--pushed"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("for a token that is pushed: 2 x 11h30m");
});

test("uses the longest interval of a cron expression", async () => {
  const { exitCode, stderr } = await cli(["schedule", "--cron", "0 6,18 * * MON-FRI"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("2 x 60h");
});

test.each([
  ["0 6,18 * * MON-FRI", [], "0 */8 * * *"],
  ["45 0 * * *", [], "45 */8 * * *"],
  ["0 */8 * * *", ["--missed", "2"], "0 */6 * * *"],
  ["*/30 6 * * *", ["--missed", "0"], "0 */12 * * *"],
  ["0 0 * * 0", ["--missed", "0", "--lifetime", "30h"], "0 0 * * *"],
  ["0 * * * *", ["--lifetime", "2h"], "*/30 * * * *"],
])("a gap of %j with %j suggests %j, which has none", async (cron, more, even) => {
  const { exitCode, stderr } = await cli(["schedule", "--cron", cron, ...more]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(` Run at least as often as "${even}" (UTC)`);
  expect((await cli(["schedule", "--cron", even, ...more])).exitCode).toBe(0);
});

test.each([
  [["--every", "six hours"], "ERR_DURATION_INVALID"],
  [["--every", "-6h"], "ERR_DURATION_INVALID"],
  [["--every", "1ms"], "A run every 1ms means more than 100000 runs in a token's lifetime of 24h."],
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

describe("on a screen", () => {
  const schedule = ["schedule", "--every", "12h"];

  test("lines of the timeline keep to its width", async () => {
    for (const columns of [40, 80, 200]) {
      const { stdout } = await cli(schedule, {
        columns,
        env: { NO_COLOR: "1" },
      });
      const rows = stdout.split("\n").filter((line) => /^(token \d|runs {2}|hours)/.test(line));
      expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(
        Math.min(columns, 120),
      );
      expect(rows.length).toBeGreaterThan(6);
    }
  });

  test("prints colours, but not with NO_COLOR, on a dumb terminal or in a pipe", async () => {
    expect((await cli(schedule, { columns: 80 })).stdout).toContain(`${ESCAPE}[31m`);
    expect((await cli(schedule, { columns: 80, env: { NO_COLOR: "1" } })).stdout).not.toContain(
      ESCAPE,
    );
    expect((await cli(schedule, { columns: 80, env: { TERM: "dumb" } })).stdout).not.toContain(
      ESCAPE,
    );
    expect((await cli(schedule)).stdout).not.toContain(ESCAPE);
    expect((await cli(schedule, { env: { FORCE_COLOR: "1" } })).stdout).toContain(ESCAPE);
  });

  test("prints block characters if the language setting has them, and otherwise ASCII", async () => {
    expect((await cli(schedule, { columns: 80, env: { LANG: "C.UTF-8" } })).stdout).toContain("█");
    expect(
      (await cli(schedule, { columns: 80, env: { LANG: "C", NO_COLOR: "1" } })).stdout,
    ).toMatch(/^[\t\n -~]*$/);
    expect((await cli(schedule, { env: { LANG: "C.UTF-8" } })).stdout).toMatch(/^[\t\n -~]*$/);
  });
});

describe("--mermaid", () => {
  const draw = (path: string, ...more: string[]) =>
    cli(["schedule", "--every", "12h", "--mermaid", path, ...more], {
      workingFolder: folder,
    });

  test("writes a Gantt chart with the gap in it", async () => {
    const { exitCode, stdout } = await draw("schedule.mmd");
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: expect.stringContaining("At its worst: a gap of 55m1s"),
    });
    expect(readFileSync(join(folder, "schedule.mmd"), "utf8")).toMatchInlineSnapshot(`
      "gantt
        title runs every 12h
        dateFormat YYYY-MM-DDTHH:mm:ss
        axisFormat day %-j, %H:%M
        section As planned, the old token has 12h to spare
        token 1 is in use :active, 2001-01-01T00:00:00, 2001-01-01T12:00:00
        token 1 is valid, not in use :done, 2001-01-01T12:00:00, 2001-01-02T00:00:00
        token 2 is in use :active, 2001-01-01T12:00:00, 2001-01-02T00:00:00
        token 2 is valid, not in use :done, 2001-01-02T00:00:00, 2001-01-02T06:55:01
        token 3 is in use :active, 2001-01-02T00:00:00, 2001-01-02T06:55:01
        section At its worst, a gap of 55m1s
        missed runs (1) and start delay (15m) :2001-01-01T00:10:01, 2001-01-02T00:25:01
        run that rotates :2001-01-02T00:25:01, 2001-01-02T00:55:01
        token 1 is in use :active, 2001-01-01T00:00:00, 2001-01-02T00:00:00
        token 1 expired in use :crit, 2001-01-02T00:00:00, 2001-01-02T00:55:01
        token 2 is in use :active, 2001-01-02T00:55:01, 2001-01-02T06:55:01
        token 2 is valid, not in use :done, 2001-01-02T00:25:01, 2001-01-02T00:55:01
      "
    `);
    expect(readdirSync(folder)).toEqual(["schedule.mmd"]);
  });

  test("writes a page if the name is that of a page, and prints the chart alone for -", async () => {
    await draw("schedule.md", "--missed", "0");
    const { stdout } = await draw("-", "--missed", "0");
    expect(stdout).toMatch(/^gantt\n/);
    expect(stdout).not.toContain("expired");
    expect(readFileSync(join(folder, "schedule.md"), "utf8")).toBe(
      `\`\`\`mermaid\n${stdout}\`\`\`\n`,
    );
  });

  test("has at most eight tokens as planned", async () => {
    const { stdout } = await draw("-", "--lifetime", "1000h", "--missed", "81");
    expect(stdout).toContain("token 8 is in use");
    expect(stdout).not.toContain("token 9");
  });

  test("replaces an existing file as a whole", async () => {
    writeFileSync(join(folder, "x.mmd"), "old");
    await draw("x.mmd");
    expect(readFileSync(join(folder, "x.mmd"), "utf8")).toMatch(/^gantt\n/);
  });

  test.each(["a folder", "a link", "in no folder", "a folder that is a file"])(
    "%s is refused, and no file is left",
    async (what) => {
      mkdirSync(join(folder, "a folder"));
      writeFileSync(join(folder, "target"), "precious");
      symlinkSync(join(folder, "target"), join(folder, "a link"));
      const path =
        {
          "in no folder": "none/x.mmd",
          "a folder that is a file": "target/x.mmd",
        }[what] ?? what;
      const { exitCode, stderr } = await draw(path);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/\[ERR_OUTPUT_FILE\]\n$/);
      expect(readdirSync(folder).sort()).toEqual(["a folder", "a link", "target"]);
      expect(readFileSync(join(folder, "target"), "utf8")).toBe("precious");
    },
  );
});
