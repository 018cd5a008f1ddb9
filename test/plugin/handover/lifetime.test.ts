import { Lifetime } from "../../../lib/plugin/handover/lifetime";

let present: boolean;
let closed: () => void;
const end = jest.fn(() => new Promise<void>((resolve) => (closed = resolve)));
const exit = jest.fn();
let lifetime: Lifetime;

beforeEach(() => {
  jest.useFakeTimers();
  jest.clearAllMocks();
  present = true;
  lifetime = new Lifetime({ terraform: { isThere: () => present }, graceMs: 500, end, exit });
});
afterEach(() => jest.useRealTimers());

/** Whether the process has ended after so many milliseconds, and not a moment before. */
async function expectExitAfter(milliseconds: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(milliseconds - 1);
  expect(exit).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1);
  expect(exit).toHaveBeenCalledTimes(1);
}

test("waits for a launch to connect as long as Terraform itself would", () => {
  lifetime.changed({ launches: 1, connections: 0 });
  return expectExitAfter(60_000);
});

test("without a launch the server ends after its time of grace", () => {
  lifetime.changed({ launches: 1, connections: 1 });
  lifetime.changed({ launches: 0, connections: 0 });
  return expectExitAfter(500);
});

test("a connection keeps it for as long as it lasts", async () => {
  lifetime.changed({ launches: 0, connections: 0 });
  lifetime.changed({ launches: 1, connections: 1 });
  await jest.advanceTimersByTimeAsync(3_600_000);
  expect(exit).not.toHaveBeenCalled();
});

test("releases the resources of connections when Terraform is gone, and ends", async () => {
  lifetime.changed({ launches: 1, connections: 1 });
  present = false;
  await jest.advanceTimersByTimeAsync(100);
  expect(end).toHaveBeenCalledTimes(1);
  expect(exit).not.toHaveBeenCalled();
  closed();
  await jest.advanceTimersByTimeAsync(0);
  expect(exit).toHaveBeenCalledTimes(1);
});

test("a release may take ten seconds, and is requested once", async () => {
  lifetime.changed({ launches: 1, connections: 1 });
  present = false;
  await jest.advanceTimersByTimeAsync(100);
  expect(end).toHaveBeenCalledTimes(1);
  await expectExitAfter(10_000);
  expect(end).toHaveBeenCalledTimes(1);
});
