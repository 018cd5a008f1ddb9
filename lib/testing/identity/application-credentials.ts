import { createHash, timingSafeEqual } from "node:crypto";
import type { Secret } from "../../tokens";
import type { AccountSettings } from "../config/settings";
import { type Directory, type GrantedScope, idOf } from "./directory";
import type { EmbeddedUser } from "./embedded-user";

/** A secret of a user that gives tokens for one project, without the user's password. */
export interface ApplicationCredential {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly owner: EmbeddedUser;
  /** A project; none, if it was made with a token that had none. */
  readonly scope: GrantedScope;
  readonly secret: Secret;
  /** Milliseconds since 1970; undefined: never. */
  readonly expiresAt: number | undefined;
  /** Whether its tokens may make and delete credentials. */
  readonly unrestricted: boolean | null;
  /** Its tokens end with it. */
  isDeleted?: boolean;
}

/** Those of the configuration, and those that users make while the service runs. */
export class ApplicationCredentials {
  readonly #byId = new Map<string, ApplicationCredential>();

  constructor(accounts: readonly AccountSettings[], directory: Directory) {
    for (const { accountId, applicationCredentials } of accounts) {
      const domain = { name: accountId };
      for (const { user, project: projectName, ...given } of applicationCredentials) {
        const owner = directory.user({ name: user, domain });
        const project = directory.project({ name: projectName, domain });
        const { name = given.id ?? "" } = given;
        const id = given.id ?? idOf("application credential", accountId, user, name);
        // A credential ends with its user's permission for the project.
        const scope: GrantedScope =
          project === undefined ? { kind: "none" } : { kind: "project", project };
        if (owner !== undefined && directory.permits(owner, scope))
          this.add({ description: null, expiresAt: undefined, ...given, id, name, owner, scope });
      }
    }
  }

  add(credential: ApplicationCredential): void {
    this.#byId.set(credential.id, credential);
  }

  delete(credential: ApplicationCredential): void {
    credential.isDeleted = true;
    this.#byId.delete(credential.id);
  }

  find(id: string): ApplicationCredential | undefined {
    return this.#byId.get(id);
  }

  of(owner: EmbeddedUser): readonly ApplicationCredential[] {
    return [...this.#byId.values()].filter((credential) => credential.owner === owner);
  }

  /** To keep them out of the journal. */
  *secrets(): Iterable<string> {
    for (const { secret } of this.#byId.values()) yield secret.reveal();
  }
}

/** Whether a secret is a credential's. */
export function isSecretOf({ secret }: ApplicationCredential, given: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(secret.reveal()), digest(given));
}
