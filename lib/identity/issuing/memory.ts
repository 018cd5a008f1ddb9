import { randomBytes } from "node:crypto";
import { FirstTries } from "../cache/first-tries";
import { Logins } from "../cache/logins";
import { Rejections } from "../cache/rejections";
import type { Limits } from "../limits";

/** What a client remembers of credentials, in memory: no token, and no secret. */
export class CredentialMemory {
  /** For digests of secrets, which mean nothing outside this client. */
  readonly processKey = randomBytes(32);
  readonly rejections: Rejections;
  readonly firstTries: FirstTries;
  readonly logins: Logins;

  constructor({ cacheEntries, rejectionMemoryMs }: Limits, now: () => number) {
    this.rejections = new Rejections(cacheEntries, rejectionMemoryMs, now);
    this.firstTries = new FirstTries(cacheEntries);
    this.logins = new Logins(cacheEntries, now);
  }

  clear(): void {
    this.rejections.clear();
    this.firstTries.clear();
    this.logins.clear();
  }
}
