import type { IdentityUnderTest } from "../identity-under-test";
import type { ConformanceGroup, Need } from "./case";
import { EXCHANGES } from "./exchanges";
import { ISSUING } from "./issuing";
import { PASSWORDS } from "./passwords";
import { ServiceHands } from "./service-hands";
import { SURROUNDINGS } from "./surroundings";
import { TOKEN_GROUPS } from "./tokens";

/** Every behaviour that a service is asked for. */
export const CONFORMANCE: readonly ConformanceGroup[] = [
  ...EXCHANGES,
  ...ISSUING,
  ...TOKEN_GROUPS,
  PASSWORDS,
  SURROUNDINGS,
];

/** How many cases a service is asked that is without something. */
export function countCases(
  groups: readonly ConformanceGroup[],
  without: readonly Need[] = [],
): number {
  return groupsWithout(groups, without).reduce((sum, { cases }) => sum + cases.length, 0);
}

/**
 * Runs the groups against a service; cases that need what it is without are left out. To be called
 * inside of a `describe`.
 */
export function conformanceSuite(
  groups: readonly ConformanceGroup[],
  start: () => Promise<IdentityUnderTest>,
  without: readonly Need[] = [],
): void {
  let hands: ServiceHands | undefined;
  let failure: unknown;
  beforeAll(async () => {
    try {
      hands = new ServiceHands(await start());
    } catch (error) {
      failure = error;
    }
  }, 360_000);
  afterAll(() => hands?.service.stop(), 60_000);

  // One test says why there is no service, and not each of them.
  test("the service is there", () => {
    if (failure !== undefined) throw failure;
  });

  for (const { name, cases } of groupsWithout(groups, without)) {
    describe(name, () => {
      for (const { name: what, run, timeoutMs } of cases) {
        test(
          what,
          async () => {
            if (hands === undefined) throw new Error("Not run: the service is not there.");
            await run(hands);
          },
          timeoutMs,
        );
      }
    });
  }
}

function groupsWithout(
  groups: readonly ConformanceGroup[],
  without: readonly Need[],
): readonly ConformanceGroup[] {
  const isPossible = ({ needs = [] }: { readonly needs?: readonly Need[] }) =>
    !needs.some((need) => without.includes(need));
  return groups
    .map(({ name, cases }) => ({ name, cases: cases.filter(isPossible) }))
    .filter(({ cases }) => cases.length > 0);
}
