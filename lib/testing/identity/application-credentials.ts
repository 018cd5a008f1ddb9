import { createHash, timingSafeEqual } from "node:crypto";
import type { Secret } from "../../tokens";
import type { AccountSettings } from "../config/settings";
import { type Directory, type GrantedScope, idOf } from "./directory";
import type { EmbeddedUser } from "./embedded-user";

/** A secret of a user that gives tokens for one project, without the user's password. */
export interface ApplicationCredential {
  readonly id: string;
  readonly name: string;
  readonly owner: EmbeddedUser;
  /** A project. */
  readonly scope: GrantedScope;
  readonly secret: Secret;
  /** Milliseconds since 1970; undefined: never. */
  readonly expiresAt: number | undefined;
  readonly unrestricted: boolean;
}

/** Those of the configuration. */
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
        if (owner === undefined || project === undefined) continue;
        const scope: GrantedScope = { kind: "project", project };
        // A credential ends with its user's permission for the project.
        if (directory.permits(owner, scope))
          this.#byId.set(id, { expiresAt: undefined, ...given, id, name, owner, scope });
      }
    }
  }

  find(id: string): ApplicationCredential | undefined {
    return this.#byId.get(id);
  }

  /** A user has each name once. */
  findNamed(name: string, owner: EmbeddedUser): ApplicationCredential | undefined {
    return [...this.#byId.values()].find((each) => each.owner === owner && each.name === name);
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
