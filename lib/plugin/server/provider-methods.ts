import {
  ConfigureProviderRequest,
  DiagnosticsResponse,
  ValidateProviderConfigRequest,
  ValidateProviderConfigResponse,
} from "../protocol/tfplugin6";
import type { Provider } from "../provider";
import { encodeProviderSchema, fromWireConfig } from "./convert";
import { methodsOf, validated } from "./method";
import type { Method } from "./session";

const NOTHING = new Uint8Array(0);

/** The methods of the provider as a whole: schema, configuration, stop. */
export function providerMethods<Configured>(
  provider: Provider<Configured>,
): Record<string, Method<Configured>> {
  const method = methodsOf<Provider<Configured>, Configured>(() => provider);
  let encoded: Uint8Array | undefined;
  return {
    GetProviderSchema: async () => {
      // Once: in a process that serves many connections, each requests it.
      encoded ??= encodeProviderSchema(provider);
      return encoded;
    },
    // Newer Terraform requests the identities of managed resources, OpenTofu requests functions:
    // there are none.
    GetResourceIdentitySchemas: async () => NOTHING,
    GetFunctions: async () => NOTHING,

    ValidateProviderConfig: method(
      ValidateProviderConfigRequest,
      ValidateProviderConfigResponse,
      "validating the provider block",
      validated,
    ),

    ConfigureProvider: method(
      ConfigureProviderRequest,
      DiagnosticsResponse,
      "configuring the provider",
      async ({ schema }, { config }, session, call) =>
        session.configure(call, fromWireConfig(config, schema)),
    ),

    StopProvider: async (session) => {
      await session.release();
      return NOTHING;
    },
  };
}
