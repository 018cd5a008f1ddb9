import type { IdentityUnderTest } from "../identity-under-test";
import { APPLICATION_CREDENTIALS } from "./application-credentials";
import { AUTH_LISTS } from "./auth-lists";
import type { ConformanceCase, ConformanceGroup, Need } from "./case";
import { EXCHANGES } from "./exchanges";
import { FEDERATION } from "./federation";
import { ISSUING } from "./issuing";
import { OTHER_PAGES } from "./other-pages";
import { OUR_CLIENT } from "./our-client";
import { PASSWORDS } from "./passwords";
import { SECOND_FACTOR } from "./second-factor";
import { ServiceHands } from "./service-hands";
import { TOKEN_GROUPS } from "./tokens";

/** Every behaviour that is tested on a service. */
export const CONFORMANCE: readonly ConformanceGroup[] = [
  ...EXCHANGES,
  ...ISSUING,
  ...TOKEN_GROUPS,
  ...AUTH_LISTS,
  PASSWORDS,
  ...APPLICATION_CREDENTIALS,
  ...FEDERATION,
  SECOND_FACTOR,
  OUR_CLIENT,
  OTHER_PAGES,
];

/** How many cases a service is asked that is without something. */
export function countCases(
  groups: readonly ConformanceGroup[],
  without: readonly Need[] = [],
): number {
  return groupsWithout(groups, without).reduce((sum, { cases }) => sum + cases.length, 0);
}

/** So many cases at a time: a case disturbs no other, and a Keystone has more than one worker. */
const LANES = 4;

/**
 * Runs the groups against a service, and stops it when all tests around are done; cases with unmet
 * needs are left out. To be called inside of a `describe`.
 */
export function conformanceSuite(
  groups: readonly ConformanceGroup[],
  start: () => Promise<IdentityUnderTest>,
  without: readonly Need[] = [],
): void {
  const asked = groupsWithout(groups, without);
  let service: IdentityUnderTest | undefined;
  let failure: unknown;
  let outcomes = new Map<ConformanceCase, Promise<void>>();
  const over = new AbortController();
  beforeAll(async () => {
    try {
      service = await start();
      const cases = asked.flatMap(({ cases: all }) => all);
      outcomes = beginAll(cases, new ServiceHands(service), over.signal);
    } catch (error) {
      failure = error;
    }
  }, 360_000);
  afterAll(async () => {
    // With `-t` most cases have no test that waits for them: those under way end with their service
    // still there, and no other begins.
    over.abort();
    await Promise.allSettled(outcomes.values());
    await service?.stop();
  }, 60_000);

  // One test says why there is no service, and not each of them.
  test("the service answers", () => {
    if (failure !== undefined) throw failure;
  });

  for (const { name, cases } of asked) {
    describe(name, () => {
      test.each(cases.map((one) => [one.name, one] as const))(
        "%s",
        async (_name, one) => {
          if (service === undefined) throw new Error("Not run: the service is not there.");
          await outcomes.get(one);
        },
        60_000,
      );
    });
  }
}

/**
 * Begins the cases: those that wait at once, each other one when the one LANES before has ended.
 */
function beginAll(
  cases: readonly ConformanceCase[],
  service: ServiceHands,
  over: AbortSignal,
): Map<ConformanceCase, Promise<void>> {
  const ends: Promise<void>[] = [];
  const outcomes = new Map<ConformanceCase, Promise<void>>();
  for (const one of cases) {
    const turn = one.waits ? undefined : ends.at(-LANES);
    const outcome = Promise.resolve(turn).then(() => (over.aborted ? undefined : one.run(service)));
    outcomes.set(one, outcome);
    // A failure is reported where the case's test stands.
    const ended = outcome.catch(() => {});
    if (!one.waits) ends.push(ended);
  }
  return outcomes;
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
