import type { UnaryHandler } from "../grpc";
import {
  ConfigureProviderRequest,
  DiagnosticsResponse,
  Empty,
  encodeMessage,
  StopProviderResponse,
  ValidateProviderConfigRequest,
  ValidateProviderConfigResponse,
} from "../protocol";
import type { Log, Provider } from "../provider";
import { handlerOf } from "./method";
import type { ProviderSession } from "./session";
import { fromWireConfig } from "./wire-config";
import { toWireDiagnostics } from "./wire-diagnostic";
import { encodeMetadata, encodeProviderSchema } from "./wire-schema";

/** The methods that concern the provider as a whole: schema, configuration, stop. */
export function providerMethods<Session>(
  provider: Provider<Session>,
  session: ProviderSession<Session>,
  log: Log,
): Record<string, UnaryHandler> {
  const { schema } = provider;
  const empty = async (): Promise<Uint8Array> => encodeMessage(Empty, {});
  return {
    GetProviderSchema: async () => encodeProviderSchema(provider),
    GetMetadata: async () => encodeMetadata(provider),
    // Newer Terraform asks for the identities of managed resources, OpenTofu for functions: there
    // are none.
    GetResourceIdentitySchemas: empty,
    GetFunctions: empty,

    ValidateProviderConfig: handlerOf(
      {
        request: ValidateProviderConfigRequest,
        response: ValidateProviderConfigResponse,
        operation: () => "validating the provider block",
        answer: async ({ config }) => ({
          diagnostics: toWireDiagnostics(
            provider.validate?.(fromWireConfig(config, schema)),
            schema,
          ),
        }),
        failed: (diagnostic) => ({ diagnostics: toWireDiagnostics([diagnostic], schema) }),
      },
      log,
    ),

    ConfigureProvider: handlerOf(
      {
        request: ConfigureProviderRequest,
        response: DiagnosticsResponse,
        operation: () => "configuring the provider",
        answer: async ({ config, terraformVersion }, call) => {
          const block = fromWireConfig(config, schema);
          const diagnostics = await session.run(call, async (signal) => {
            const configured = await provider.configure(block, { terraformVersion, signal, log });
            const failed =
              configured.diagnostics?.some(({ severity }) => severity === "error") ?? false;
            await session.configure(failed ? undefined : configured.session);
            return configured.diagnostics;
          });
          return { diagnostics: toWireDiagnostics(diagnostics, schema) };
        },
        failed: (diagnostic) => ({ diagnostics: toWireDiagnostics([diagnostic], schema) }),
      },
      log,
    ),

    StopProvider: async () => {
      await session.stop();
      return encodeMessage(StopProviderResponse, {});
    },
  };
}
