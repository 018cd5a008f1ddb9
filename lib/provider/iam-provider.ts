import { randomUUID } from "node:crypto";
import type { Provider } from "../plugin/provider";
import { knownText, textArgument } from "./configuration/argument";
import { notePasswordPlace } from "./credentials/password-places";
import {
  PROVIDER_BLOCK,
  toProviderBlock,
  validateProviderBlock,
} from "./credentials/provider-block";
import { IAM_ROTATION, IAM_STATIC_TOKEN, IAM_TOKEN } from "./names";
import { dataIamStaticToken } from "./objects/data-iam-static-token";
import { dataIamToken } from "./objects/data-iam-token";
import { ephemeralIamStaticToken } from "./objects/ephemeral-iam-static-token";
import { ephemeralIamToken } from "./objects/ephemeral-iam-token";
import { OwnTokens } from "./objects/own-tokens";
import { resourceIamRotation } from "./objects/resource-iam-rotation";
import { resourceIamToken } from "./objects/resource-iam-token";
import { createTokenSource, type IamSession } from "./objects/token-source";
import { createIdentityAccess, type IdentityAccess } from "./process/identity-access";
import type { Surroundings } from "./process/surroundings";

/** What the provider is made of; all but the surroundings has a default, and is there for tests. */
interface IamProviderOptions {
  readonly surroundings: Surroundings;
  /** The process's identity client; by default made when the first token is asked for. */
  readonly identity?: IdentityAccess;
  /** The package's version: a stack of another one is refused; by default none is. */
  readonly version?: string;
  /** Ids of resources, and of tokens to be revoked; by default random UUIDs. */
  readonly newId?: () => string;
  /** The clock that decides what is due, in milliseconds since 1970; by default this machine's. */
  readonly now?: () => number;
  /** A signal that is aborted after so many milliseconds; by default by the clock. */
  readonly deadline?: (milliseconds: number) => AbortSignal;
}

/** The Terraform provider `iam`, and how to end what it holds. */
export interface IamProvider extends Provider<IamSession> {
  /** Whether a checked block needs the public authorities, which take 20 ms to be read. */
  needsAuthorities(): boolean;
  /** Closes connections. Tokens to be revoked belong to sessions, and are revoked by `release`. */
  close(): Promise<void>;
}

/**
 * The provider `iam`. One serves any number of sessions (aliases, stacks, Terraform processes):
 * each has its own block, and all share the identity client and with it what was issued.
 */
export function createIamProvider(options: IamProviderOptions): IamProvider {
  const { surroundings } = options;
  const identity = options.identity ?? createIdentityAccess(surroundings);
  const newId = options.newId ?? randomUUID;
  const ownTokens = new OwnTokens(identity, newId, options.deadline);
  const tools = { now: options.now ?? Date.now, newId };
  const source = createTokenSource(identity, surroundings);
  let needsAuthorities = false;
  return {
    schema: PROVIDER_BLOCK,
    resources: {
      [IAM_TOKEN]: resourceIamToken(source, surroundings, tools),
      [IAM_ROTATION]: resourceIamRotation(tools),
    },
    ephemeralResources: {
      [IAM_TOKEN]: ephemeralIamToken(source, ownTokens),
      [IAM_STATIC_TOKEN]: ephemeralIamStaticToken(surroundings),
    },
    dataSources: {
      [IAM_TOKEN]: dataIamToken(source),
      [IAM_STATIC_TOKEN]: dataIamStaticToken(surroundings),
    },
    validate: (config) => {
      const authUrl = knownText(config, "auth_url") ?? "";
      needsAuthorities ||= /^https:/i.test(authUrl) && textArgument(config, "ca_file") === null;
      return validateProviderBlock(config, options.version);
    },
    needsAuthorities: () => needsAuthorities,
    // Nothing is checked or read here: with nothing set, or with unknown values, only asking for a
    // token is an error.
    configure: async (config) => {
      const block = toProviderBlock(config);
      notePasswordPlace(block, surroundings);
      return { session: { block, toldRefusals: new Set(), toldRemarks: new Set() } };
    },
    release: (session) => ownTokens.revokeAllOf(session),
    close: () => identity.close(),
  };
}
