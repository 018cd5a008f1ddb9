import type { IdentityFault } from "../../../lib/testing";
import {
  BREAK_PLACES,
  breakAt,
  CHUNKS,
  COMPRESSED_BODY,
  chunks,
  DEEP_BODY,
  drip,
  ECHOING_BODY,
  ENDLESS,
  EXTRA_ANSWER,
  echoingHeader,
  HTTP_1_0,
  hugeBody,
  informational,
  joinedHeader,
  longHeader,
  MANY_HEADERS,
  NO_EXPIRY,
  NON_ASCII_HEADER,
  NOT_HTTP,
  type TestFault,
  type TestFaultEntry,
  UNPRINTABLE_HEADER,
  WHOLE_SYSTEM,
  WRONG_TYPES,
} from "./own-faults";

const FRONT: readonly TestFault[] = [
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

const CHANGES: readonly TestFault[] = [
  ...(["missing", "empty", "doubled"] as const).map((how) => ({ kind: "header", how }) as const),
  { kind: "header", how: "missing", name: "Date" },
  ...[joinedHeader(), longHeader(), longHeader(10_000), UNPRINTABLE_HEADER, NON_ASCII_HEADER],
  ...[echoingHeader(), echoingHeader("x-openstack-request-id")],
  ...(["empty", "not_json", "cut", "expired", "aged"] as const).map(
    (how) => ({ kind: "body", how }) as const,
  ),
  ...(["other_scope", "other_project", "other_account"] as const).map(
    (how) => ({ kind: "body", how }) as const,
  ),
  ...[COMPRESSED_BODY, ECHOING_BODY, WHOLE_SYSTEM, ENDLESS, NO_EXPIRY, WRONG_TYPES, DEEP_BODY],
];

const DELIVERIES: readonly TestFault[] = [
  ...(["reset", "close", "silence"] as const).flatMap((kind) => [
    ...(["before_head", "in_body"] as const).map((when) => ({ kind, when }) as const),
    ...BREAK_PLACES.map((place) => breakAt(kind, place)),
  ]),
  { kind: "late", milliseconds: 5 },
  ...[drip("head"), drip("body"), hugeBody(), hugeBody(false), MANY_HEADERS],
  ...([100, 102, 103] as const).map((status) => informational(status)),
  ...CHUNKS.map(chunks),
  ...[HTTP_1_0, NOT_HTTP, EXTRA_ANSWER],
];

const TLS: readonly IdentityFault[] = (
  ["expired", "not_yet_valid", "wrong_name", "unknown_ca", "too_old", "not_tls", "silent"] as const
).map((how) => ({ kind: "tls", how }));

/** A script of faults by chance: the same options give the same script. */
export function randomScript({
  seed,
  length,
  share,
  tls,
}: {
  readonly seed: number;
  readonly length: number;
  /** The share of requests with a fault: 0 to 1. */
  readonly share: number;
  readonly tls: boolean;
}): TestFaultEntry[] {
  const random = mulberry32(seed);
  const pick = (from: readonly TestFault[]) => {
    const at = Math.floor(random() * from.length);
    return from.slice(at, at + 1);
  };
  return Array.from({ length }, () => {
    if (random() >= share) return null;
    if (tls && random() < 0.15) return pick(TLS);
    // Now and then, the answer and its transmission both have a fault.
    const kinds = random();
    return [
      ...(kinds < 0.35 ? pick(FRONT) : kinds < 0.75 ? pick(CHANGES) : []),
      ...(kinds >= 0.6 || kinds < 0.05 ? pick(DELIVERIES) : []),
    ];
  });
}

/** A small generator of uniform numbers from 0 to below 1. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
