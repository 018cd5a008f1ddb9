import type { UnaryHandler } from "../grpc";
import {
  ConfigRequest,
  DiagnosticsResponse,
  type Init,
  OpenEphemeralResourceResponse,
  PrivateRequest,
  ReadDataSourceResponse,
  RenewEphemeralResourceResponse,
  type Timestamp,
} from "../protocol";
import type { DataSource, Diagnostic, EphemeralResource, Log, Provider } from "../provider";
import { complete, inContext, named, validation } from "./block-operation";
import { handlerOf } from "./method";
import type { ProviderSession } from "./session";
import { fromWireConfig, toWireResult } from "./wire-config";
import { toWireDiagnostics } from "./wire-diagnostic";

const NO_BYTES = new Uint8Array(0);

/** The methods of data sources. */
export function dataMethods<Session>(
  provider: Provider<Session>,
  session: ProviderSession<Session>,
  log: Log,
): Record<string, UnaryHandler> {
  const { dataSources } = provider;
  return {
    ValidateDataResourceConfig: handlerOf(validation("data source", dataSources), log),
    ReadDataSource: handlerOf(
      {
        request: ConfigRequest,
        response: ReadDataSourceResponse,
        operation: ({ typeName }) => `reading data ${typeName}`,
        answer: async ({ typeName, config }, call) => {
          const source: DataSource<Session> = named(dataSources, typeName);
          const block = fromWireConfig(config, source.schema);
          const { state, diagnostics } = await inContext("begin", session, call, log, (context) =>
            source.read(block, context),
          );
          return {
            diagnostics: toWireDiagnostics(complete(state, diagnostics), source.schema),
            state: state === undefined ? undefined : toWireResult(state, source.schema),
          };
        },
        failed: (diagnostic, { typeName }) => ({
          diagnostics: toWireDiagnostics([diagnostic], dataSources[typeName]?.schema),
        }),
      },
      log,
    ),
  };
}

/** The methods of ephemeral resources. */
export function ephemeralMethods<Session>(
  provider: Provider<Session>,
  session: ProviderSession<Session>,
  log: Log,
): Record<string, UnaryHandler> {
  const { ephemeralResources } = provider;
  const failed = (diagnostic: Diagnostic, { typeName }: { readonly typeName: string }) => ({
    diagnostics: toWireDiagnostics([diagnostic], ephemeralResources[typeName]?.schema),
  });
  return {
    ValidateEphemeralResourceConfig: handlerOf(
      validation("ephemeral resource", ephemeralResources),
      log,
    ),
    OpenEphemeralResource: handlerOf(
      {
        request: ConfigRequest,
        response: OpenEphemeralResourceResponse,
        operation: ({ typeName }) => `opening ephemeral ${typeName}`,
        answer: async ({ typeName, config }, call) => {
          const resource: EphemeralResource<Session> = named(ephemeralResources, typeName);
          const block = fromWireConfig(config, resource.schema);
          const opened = await inContext("begin", session, call, log, (context) =>
            resource.open(block, context),
          );
          return {
            diagnostics: toWireDiagnostics(
              complete(opened.result, opened.diagnostics),
              resource.schema,
            ),
            result:
              opened.result === undefined
                ? undefined
                : toWireResult(opened.result, resource.schema),
            renewAt: toTimestamp(opened.renewAt),
            private: opened.private,
          };
        },
        failed,
      },
      log,
    ),
    RenewEphemeralResource: handlerOf(
      {
        request: PrivateRequest,
        response: RenewEphemeralResourceResponse,
        operation: ({ typeName }) => `renewing ephemeral ${typeName}`,
        answer: async (request, call) => {
          const resource: EphemeralResource<Session> = named(ephemeralResources, request.typeName);
          // Terraform asks for it only after an open that gave a time.
          if (resource.renew === undefined) return {};
          const renew = resource.renew.bind(resource, request.private ?? NO_BYTES);
          const renewed = await inContext("run", session, call, log, renew);
          return {
            diagnostics: toWireDiagnostics(renewed.diagnostics, resource.schema),
            renewAt: toTimestamp(renewed.renewAt),
            private: renewed.private,
          };
        },
        failed,
      },
      log,
    ),
    CloseEphemeralResource: handlerOf(
      {
        request: PrivateRequest,
        response: DiagnosticsResponse,
        operation: ({ typeName }) => `closing ephemeral ${typeName}`,
        answer: async (request, call) => {
          const resource: EphemeralResource<Session> = named(ephemeralResources, request.typeName);
          if (resource.close === undefined) return {};
          const close = resource.close.bind(resource, request.private ?? NO_BYTES);
          return {
            diagnostics: toWireDiagnostics(
              await inContext("run", session, call, log, close),
              resource.schema,
            ),
          };
        },
        failed,
      },
      log,
    ),
  };
}

function toTimestamp(date: Date | undefined): Init<Timestamp> | undefined {
  const milliseconds = date?.getTime() ?? Number.NaN;
  if (Number.isNaN(milliseconds)) return undefined;
  const seconds = Math.floor(milliseconds / 1000);
  return { seconds, nanos: (milliseconds - seconds * 1000) * 1_000_000 };
}
