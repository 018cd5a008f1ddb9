import type { UnaryHandler } from "../grpc/call";
import {
  ConfigureProviderRequest,
  DiagnosticsResponse,
  ValidateProviderConfigRequest,
  ValidateProviderConfigResponse,
} from "../protocol/tfplugin6";
import type { Log, Provider } from "../provider";
import { encodeProviderSchema, fromWireConfig } from "./convert";
import { handlerOf, hasError } from "./method";
import type { ProviderSession } from "./session";

const NOTHING = new Uint8Array(0);

/** The methods of the provider as a whole: schema, configuration, stop. */
export function providerMethods<Session>(
  provider: Provider<Session>,
  session: ProviderSession<Session>,
  log: Log,
): Record<string, UnaryHandler> {
  const schema = () => provider.schema;
  return {
    GetProviderSchema: async () => encodeProviderSchema(provider),
    // Newer Terraform requests the identities of managed resources, OpenTofu requests functions:
    // there are none.
    GetResourceIdentitySchemas: async () => NOTHING,
    GetFunctions: async () => NOTHING,

    ValidateProviderConfig: handlerOf(
      {
        request: ValidateProviderConfigRequest,
        response: ValidateProviderConfigResponse,
        operation: () => "validating the provider block",
        schema,
        answer: async ({ config }) => ({
          diagnostics: provider.validate?.(fromWireConfig(config, provider.schema)),
        }),
      },
      log,
    ),

    ConfigureProvider: handlerOf(
      {
        request: ConfigureProviderRequest,
        response: DiagnosticsResponse,
        operation: () => "configuring the provider",
        schema,
        answer: async ({ config }, call) => {
          const block = fromWireConfig(config, provider.schema);
          return session.run(call, async (signal) => {
            const configured = await provider.configure(block, { signal, log });
            const { diagnostics } = configured;
            await session.configure(hasError(diagnostics) ? undefined : configured.session);
            return { diagnostics };
          });
        },
      },
      log,
    ),

    StopProvider: async () => {
      await session.release();
      return NOTHING;
    },
  };
}
