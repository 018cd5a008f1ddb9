/**
 * `describe` or, if the machine lacks something that the tests need, a group whose tests all count
 * as skipped, with the reason.
 *
 * @example describeIf(hasTerraform(), "no Terraform")("a stack", () => { … })
 */
export function describeIf(
  condition: boolean,
  reason: string,
): (name: string, tests: () => void) => void {
  return condition ? describe : (name, tests) => describe.skip(skipped(name, reason), tests);
}

/** Like {@link describeIf}, for a single test. */
export function testIf(
  condition: boolean,
  reason: string,
): (name: string, test: () => unknown, timeoutMs?: number) => void {
  return (name, run, timeoutMs) => {
    const [declare, title] = condition ? [test, name] : [test.skip, skipped(name, reason)];
    declare(title, async () => void (await run()), timeoutMs);
  };
}

function skipped(name: string, reason: string): string {
  return `${name} (skipped: ${reason})`;
}
