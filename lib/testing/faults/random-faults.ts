import type { FaultEntry, IdentityFault } from "../config/fault";
import {
  BODIES,
  BREAKS,
  CHUNKS,
  HANDSHAKES,
  HEADERS,
  INFORMATIONAL,
  PLACES,
} from "../config/fault-schema";

/** Options of the random selection. */
export interface RandomScriptOptions {
  readonly seed: number;
  /** The number of requests. */
  readonly length: number;
  /** The share of requests with a fault: 0 to 1. Default: 0.5. */
  readonly share?: number;
  /** Whether TLS faults are included. Default: false, because they need https. */
  readonly tls?: boolean;
}

const FRONT: readonly IdentityFault[] = [
  ...[400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504, 200, 204].map(
    (status) => ({ kind: "status", status }) as const,
  ),
  ...[429, 503].flatMap((status) =>
    [1, 3600, "soon", { inSeconds: 2 }, { inSeconds: -60 }].map(
      (retryAfter) => ({ kind: "status", status, retryAfter }) as const,
    ),
  ),
  ...(["itself", "http", "other_host"] as const).map((to) => ({ kind: "redirect", to }) as const),
];

const CHANGES: readonly IdentityFault[] = [
  ...HEADERS.exclude(["replaced"]).options.map((how) => ({ kind: "header", how }) as const),
  { kind: "header", how: "monstrous", bytes: 10_000 },
  { kind: "header", how: "echo", name: "x-openstack-request-id" },
  { kind: "header", how: "missing", name: "Date" },
  ...BODIES.options.map((how) => ({ kind: "body", how }) as const),
];

const DELIVERIES: readonly IdentityFault[] = [
  ...BREAKS.options.flatMap((kind) => PLACES.options.map((when) => ({ kind, when }) as const)),
  { kind: "late", milliseconds: 5 },
  { kind: "drip", part: "head" },
  { kind: "drip", part: "body" },
  { kind: "huge_body" },
  { kind: "huge_body", told: false },
  { kind: "many_headers" },
  ...[...INFORMATIONAL.values].map((status) => ({ kind: "informational", status }) as const),
  ...CHUNKS.options.map((how) => ({ kind: "chunks", how }) as const),
  { kind: "http_1_0" },
  { kind: "not_http" },
  { kind: "extra_answer" },
];

const TLS: readonly IdentityFault[] = HANDSHAKES.options.map((how) => ({ kind: "tls", how }));

/**
 * A script of random faults: the same options give the same script, so a failure can be repeated.
 *
 * @see docs/testing.md
 * @example EmbeddedIdentityService.start({ ...config, faults: randomFaultScript({ seed: 7, length:
 * 10 }) })
 */
export function randomFaultScript(options: RandomScriptOptions): FaultEntry[] {
  const faults = randomFaults(options);
  return Array.from({ length: options.length }, () => {
    const met = faults.next().value;
    return met.length === 0 ? null : met;
  });
}

/** The same, without an end; an empty list is not a fault. */
export function* randomFaults({
  seed,
  share = 0.5,
  tls = false,
}: Omit<RandomScriptOptions, "length">): Generator<readonly IdentityFault[], never> {
  const random = mulberry32(seed);
  const pick = (from: readonly IdentityFault[]): readonly IdentityFault[] => {
    const at = Math.floor(random() * from.length);
    return from.slice(at, at + 1);
  };
  for (;;) {
    if (random() >= share) yield [];
    else if (tls && random() < 0.15) yield pick(TLS);
    else {
      // Now and then, the answer and its transmission both have a fault.
      const kinds = random();
      yield [
        ...(kinds < 0.35 ? pick(FRONT) : kinds < 0.75 ? pick(CHANGES) : []),
        ...(kinds >= 0.6 || kinds < 0.05 ? pick(DELIVERIES) : []),
      ];
    }
  }
}

/**
 * A small generator of uniform numbers from 0 to below 1; they must be repeatable, not secret.
 */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
