import type { ServedProvider } from "../plugin/server/connection";
import { encodeProviderSchema } from "../plugin/server/convert";
import { serveProvider } from "../plugin/server/serve-provider";
import { createIamProvider, type IamProviderOptions } from "./iam-provider";
import { loadIdentity } from "./process/load-identity";

/**
 * The provider `iam` for one Terraform process. The build puts this, with everything that it needs,
 * into `objects.cjs`: Terraform gets the handshake line and the schema without it.
 */
export function serveIamProvider(options: IamProviderOptions): ServedProvider {
  const processContext = { ...options.processContext, isOurs: true } as const;
  const provider = createIamProvider({ ...options, processContext });
  return {
    ...serveProvider(provider),
    warmUp: [
      () => loadIdentity(processContext),
      () => loadIdentity(processContext).rehearseIssue({ secure: provider.needsAuthorities() }),
    ],
  };
}

/** The answer to GetProviderSchema, which the build puts into `provider.cjs`. */
export function encodeIamSchema(): Uint8Array {
  const processContext = { variables: {}, workingFolder: "/", attached: false };
  return encodeProviderSchema(createIamProvider({ processContext }));
}
