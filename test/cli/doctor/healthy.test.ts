import { SetUp } from "./set-up";

let setUp: SetUp;
beforeEach(async () => {
  setUp = await SetUp.start();
});
afterEach(() => setUp.stop());

test("finds no fault in a healthy project, and prints a line for every check", async () => {
  const { exitCode, text, faults, findings, stderr } = await setUp.diagnose();
  expect(faults).toEqual([]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(text.trimEnd().split("\n")).toHaveLength(findings.length);
  expect(text).toMatch(/^ok {6}node {15}Node\.js \d+/);
  expect(text).toContain(
    'stack web, provider iam.identity: "deployer" of account "123456", password from the file',
  );
});
