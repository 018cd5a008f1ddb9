import { SetUp } from "./set-up";

const NOW = Date.UTC(2026, 5, 2, 12);
let setUp: SetUp;
beforeEach(async () => {
  setUp = await SetUp.start();
});
afterEach(() => setUp.stop());

const diagnose = (args: readonly string[] = []) =>
  setUp.diagnose(["--only", "rotation-age", "--max-age", "18h", ...args], { now: () => NOW });

/** Keeps the arguments of Terraform for the test to look at. */
const terraformPrints = (shell: string) =>
  setUp.terraform("Terraform v1.11.4", `echo "$*" >asked; ${shell}`);

test("a rotation that is recent enough", async () => {
  terraformPrints(`echo '"2026-06-01T20:00:00Z"'`);
  const { exitCode, text } = await diagnose();
  expect(exitCode).toBe(0);
  expect(text).toBe(
    'ok      rotation-age       The stack "web" was rotated 16 h ago (2026-06-01T20:00:00Z); 18 h are allowed.\n',
  );
});

test("one that is too old, by any output that is named", async () => {
  terraformPrints(`[ "$4" = issued ] && echo '"2026-06-01T17:00:00Z"'`);
  const { exitCode, faults } = await diagnose(["--output", "issued"]);
  expect(exitCode).toBe(1);
  expect(faults[0]?.text).toBe(
    'The stack "web" was rotated 19 h ago (2026-06-01T17:00:00Z), but 18 h are allowed: scheduled runs were missed.',
  );
});

test.each([
  ["a time to come", `echo '"2026-06-03T00:00:00Z"'`, /is in the future: 2026-06-03.*/],
  ["no time", `echo '"canary-token"'`, /is not a time/],
  ["a table", `echo '{"a":"canary"}'`, /is not a time/],
  ["no JSON", "echo canary", /its output is not JSON/],
  [
    "an error",
    `printf 'Error: Backend initialization required, please run "terraform init"\\n\\ncanary\\n' >&2; exit 1`,
    /cannot be read: Backend initialization required, please run "terraform init"/,
  ],
  [
    "no output of that name",
    `printf '\\nError: Output "rotated_at" not found\\n' >&2; exit 1`,
    /No stack has the output "rotated_at"/,
  ],
])("%s is a failure", async (_, shell, said) => {
  terraformPrints(shell);
  const { exitCode, faults } = await diagnose();
  expect(exitCode).toBe(1);
  expect(faults).toHaveLength(1);
  expect(faults[0]?.text).toMatch(said);
});

test.each([
  [["--max-age", "soon"], "--max-age"],
  [["--output", "x"], "--output is given without --max-age"],
  [["--max-age", "1h", "--output", "-state=x"], "not a valid output name"],
  [["--only", "nodes"], '--only names "nodes"'],
  [["--auth-url", "http://user:canary@example.test"], "--auth-url"],
  [["not/there"], "is not a folder"],
])("%j is a usage error, before any check", async (args, said) => {
  const { exitCode, text, stderr } = await setUp.diagnose(args);
  expect({ exitCode, text }).toEqual({ exitCode: 2, text: "" });
  expect(stderr).toContain(said);
  expect(stderr).not.toContain("canary");
});
