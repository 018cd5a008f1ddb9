import type { UnaryHandler } from "../grpc/call";
import {
  CloseEphemeralResourceRequest,
  ConfigRequest,
  DiagnosticsResponse,
  OpenEphemeralResourceResponse,
  ReadDataSourceResponse,
  RenewEphemeralResourceRequest,
} from "../protocol/tfplugin6";
import type { Log, Provider } from "../provider";
import { fromWireConfig, toWireState } from "./convert";
import { complete, methodsOf } from "./method";
import type { ProviderSession } from "./session";

/** The methods of data sources and ephemeral resources. */
export function blockMethods<Session>(
  provider: Provider<Session>,
  session: ProviderSession<Session>,
  log: Log,
): Record<string, UnaryHandler> {
  const ofData = methodsOf(provider.dataSources, session, log);
  const ofEphemeral = methodsOf(provider.ephemeralResources, session, log);
  return {
    ValidateDataResourceConfig: ofData(
      ConfigRequest,
      DiagnosticsResponse,
      "validating the data source",
      async (source, { config }) => ({
        diagnostics: source.validate?.(fromWireConfig(config, source.schema)),
      }),
    ),

    ReadDataSource: ofData(
      ConfigRequest,
      ReadDataSourceResponse,
      "reading data",
      async (source, { config }, { begin }) => {
        const block = fromWireConfig(config, source.schema);
        const { state, diagnostics } = await begin((context) => source.read(block, context));
        return {
          diagnostics: complete(state, diagnostics),
          state: state && toWireState(state, source.schema),
        };
      },
    ),

    ValidateEphemeralResourceConfig: ofEphemeral(
      ConfigRequest,
      DiagnosticsResponse,
      "validating the ephemeral resource",
      async (resource, { config }) => ({
        diagnostics: resource.validate?.(fromWireConfig(config, resource.schema)),
      }),
    ),

    OpenEphemeralResource: ofEphemeral(
      ConfigRequest,
      OpenEphemeralResourceResponse,
      "opening ephemeral",
      async (resource, { config }, { begin }) => {
        const block = fromWireConfig(config, resource.schema);
        const opened = await begin((context) => resource.open(block, context));
        return {
          diagnostics: complete(opened.result, opened.diagnostics),
          result: opened.result && toWireState(opened.result, resource.schema),
          private: opened.private,
          renewAt: secondsOf(opened.renewAt),
        };
      },
    ),

    RenewEphemeralResource: ofEphemeral(
      RenewEphemeralResourceRequest,
      DiagnosticsResponse,
      "renewing ephemeral",
      async (resource, { private: privateData }, { begin }) => ({
        diagnostics: await begin(async (context) => resource.renew?.(privateData, context)),
      }),
    ),

    CloseEphemeralResource: ofEphemeral(
      CloseEphemeralResourceRequest,
      DiagnosticsResponse,
      "closing ephemeral",
      async (resource, { private: privateData }, { run }) => ({
        diagnostics: resource.close && (await run(resource.close.bind(resource, privateData))),
      }),
    ),
  };
}

function secondsOf(time: number | undefined) {
  return time === undefined ? undefined : { seconds: Math.floor(time / 1000) };
}
