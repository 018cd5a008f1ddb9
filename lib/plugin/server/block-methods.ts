import {
  CloseEphemeralResourceRequest,
  ConfigRequest,
  DiagnosticsResponse,
  OpenEphemeralResourceResponse,
  ReadDataSourceResponse,
  RenewEphemeralResourceRequest,
} from "../protocol/tfplugin6";
import type { DataSource, EphemeralResource, Provider } from "../provider";
import { fromWireConfig, toWireState } from "./convert";
import { complete } from "./diagnostics";
import { methodsOf, named, validated } from "./method";
import type { Method } from "./session";

/** The methods of data sources and ephemeral resources. */
export function blockMethods<Configured>({
  dataSources,
  ephemeralResources,
}: Provider<Configured>): Record<string, Method<Configured>> {
  const ofData = methodsOf<DataSource<Configured>, Configured>(named(dataSources));
  const ofEphemeral = methodsOf<EphemeralResource<Configured>, Configured>(
    named(ephemeralResources),
  );
  return {
    ValidateDataResourceConfig: ofData(
      ConfigRequest,
      DiagnosticsResponse,
      "validating the data source",
      validated,
    ),

    ReadDataSource: ofData(
      ConfigRequest,
      ReadDataSourceResponse,
      "reading data",
      async (source, { config }, session, call) => {
        const block = fromWireConfig(config, source.schema);
        const { state, diagnostics } = await session.run(call, (context) =>
          source.read(block, context),
        );
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
      validated,
    ),

    OpenEphemeralResource: ofEphemeral(
      ConfigRequest,
      OpenEphemeralResourceResponse,
      "opening ephemeral",
      async (resource, { config }, session, call) => {
        const block = fromWireConfig(config, resource.schema);
        const opened = await session.run(call, (context) => resource.open(block, context));
        const { result, renewAt, diagnostics } = opened;
        return {
          diagnostics: complete(result, diagnostics),
          result: result && toWireState(result, resource.schema),
          private: opened.private,
          renewAt: renewAt === undefined ? undefined : { seconds: Math.floor(renewAt / 1000) },
        };
      },
    ),

    RenewEphemeralResource: ofEphemeral(
      RenewEphemeralResourceRequest,
      DiagnosticsResponse,
      "renewing ephemeral",
      async (resource, { private: privateData }, session, call) => ({
        diagnostics: await session.run(call, async (context) =>
          resource.renew?.(privateData, context),
        ),
      }),
    ),

    CloseEphemeralResource: ofEphemeral(
      CloseEphemeralResourceRequest,
      DiagnosticsResponse,
      "closing ephemeral",
      async (resource, { private: privateData }, session, call) => ({
        diagnostics:
          resource.close &&
          (await session.run(call, async (context) => resource.close?.(privateData, context), {
            afterInterruption: true,
          })),
      }),
    ),
  };
}
