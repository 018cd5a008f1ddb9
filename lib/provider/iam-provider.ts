import { randomUUID } from "node:crypto";
import type { Provider } from "../plugin/provider";
import { knownText, textArgument } from "./configuration/argument";
import { ExplainedOnce } from "./configuration/explained-once";
import { rememberSecretsIn } from "./credentials/environment-source";
import {
  PROVIDER_BLOCK,
  toProviderBlock,
  validateProviderBlock,
} from "./credentials/provider-block";
import { IAM_ROTATION, IAM_STATIC_TOKEN, IAM_TOKEN } from "./names";
import { dataIamToken } from "./objects/data-iam-token";
import { ephemeralIamToken } from "./objects/ephemeral-iam-token";
import { createLookAtStore } from "./objects/look-at-store";
import { OwnTokens } from "./objects/own-tokens";
import { resourceIamRotation } from "./objects/resource-iam-rotation";
import { resourceIamToken } from "./objects/resource-iam-token";
import { dataIamStaticToken, ephemeralIamStaticToken } from "./objects/static-token";
import { createTokenRequests, type IamSession } from "./objects/token-requests";
import { createVerifyStored } from "./objects/verify-stored";
import { createIdentityAccess, type IdentityAccess } from "./process/identity-access";
import type { ProcessContext } from "./process/process-context";

/** Parts of the provider. All except the process context have a default; tests replace them. */
export interface IamProviderOptions {
  readonly processContext: ProcessContext;
  /** The process's identity client; by default made when the first token is requested. */
  readonly identity?: IdentityAccess;
  /** Makes ids of resources, and of tokens that will be revoked; by default random UUIDs. */
  readonly newId?: () => string;
  /**
   * The clock that decides when a rotation is due, in milliseconds since 1970; by default this
   * machine's.
   */
  readonly now?: () => number;
  /** A signal that is aborted after this many milliseconds; by default by the clock. */
  readonly deadline?: (milliseconds: number) => AbortSignal;
}

/** The Terraform provider `iam`, and the way to end it. */
export interface IamProvider extends Provider<IamSession> {
  /** Whether a checked block needs the public authorities, which take 20 ms to read. */
  needsAuthorities(): boolean;
  /** Closes connections. `release` of the session revokes the tokens that need it. */
  close(): Promise<void>;
}

/**
 * The provider `iam`. One provider serves any number of sessions (aliases, stacks, Terraform
 * processes): each has its own block, and all share the identity client and its tokens.
 */
export function createIamProvider(options: IamProviderOptions): IamProvider {
  const { processContext } = options;
  rememberSecretsIn(processContext);
  const identity = options.identity ?? createIdentityAccess(processContext);
  const newId = options.newId ?? randomUUID;
  const ownTokens = new OwnTokens(identity, newId, options.deadline);
  const tools = { now: options.now ?? Date.now, newId };
  const requests = createTokenRequests(identity, processContext, options.now);
  const verifyStored = createVerifyStored(requests, tools.now);
  const errors = new ExplainedOnce();
  let needsAuthorities = false;
  return {
    schema: PROVIDER_BLOCK,
    resources: {
      [IAM_TOKEN]: resourceIamToken(requests, verifyStored, processContext, tools),
      [IAM_ROTATION]: resourceIamRotation(createLookAtStore(requests), tools),
    },
    ephemeralResources: {
      [IAM_TOKEN]: ephemeralIamToken(requests, ownTokens, tools.now),
      [IAM_STATIC_TOKEN]: ephemeralIamStaticToken(processContext),
    },
    dataSources: {
      [IAM_TOKEN]: dataIamToken(requests),
      [IAM_STATIC_TOKEN]: dataIamStaticToken(processContext),
    },
    validate: (config) => {
      const authUrl = knownText(config, "auth_url") ?? "";
      needsAuthorities ||= /^https:/i.test(authUrl) && textArgument(config, "ca_file") === null;
      return validateProviderBlock(config);
    },
    needsAuthorities: () => needsAuthorities,
    // Nothing is checked or read here: without settings, or with unknown values, only requesting a
    // token is an error.
    configure: async (config) => {
      const session = {
        block: toProviderBlock(config),
        attached: processContext.attached,
        // An attached process serves several Terraforms at once, and cannot know which one a
        // session belongs to.
        errors: processContext.attached ? new ExplainedOnce() : errors,
      };
      return { session };
    },
    // After it, the process may end.
    release: async (session) => {
      await Promise.all([ownTokens.revokeAllOf(session), identity.settled()]);
    },
    close: () => identity.close(),
  };
}
