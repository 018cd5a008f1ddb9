/**
 * A consumer for the scenarios: a provider whose own block takes a token, as a cloud's provider
 * does, and whose data source calls the product API with it. Served by the plugin room: that room
 * knows nothing of tokens, and so serves any provider.
 */
import { type CtyObject, UNKNOWN } from "../../../lib/plugin/cty/value";
import type { Provider } from "../../../lib/plugin/provider";

interface Session {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const text = (description: string, more: object = { optional: true }) => ({
  type: "string" as const,
  description,
  ...more,
});

export const productProvider: Provider<Session> = {
  schema: {
    description: "Calls the product API of the scenarios.",
    attributes: {
      url: text("Address of the product API.", { required: true }),
      header_name: text("Header that carries the token."),
      token: text("The token.", { optional: true, sensitive: true }),
      headers: {
        type: ["map", "string"],
        description: "Headers of each call.",
        optional: true,
        sensitive: true,
      },
    },
  },
  ephemeralResources: {},
  dataSources: {
    product_call: {
      schema: {
        description: "One call.",
        attributes: {
          path: text("Path under the address.", { required: true }),
          status: { type: "number", description: "Status of the answer.", computed: true },
          reason: text("Answer of the product API.", { computed: true }),
        },
      },
      async read(config, { session, signal }) {
        const response = await fetch(`${session.url}${String(config.path)}`, {
          headers: session.headers,
          signal,
        });
        const body = (await response.json()) as { reason?: string };
        return {
          state: {
            path: config.path ?? null,
            status: response.status,
            reason: body.reason ?? null,
          },
        };
      },
    },
  },
  async configure(config) {
    return { session: { url: String(config.url), headers: headersOf(config) } };
  },
};

function headersOf(config: CtyObject): Record<string, string> {
  const headers: Record<string, string> = {};
  const given = config.headers;
  if (given && typeof given === "object" && !Array.isArray(given)) {
    for (const [name, value] of Object.entries(given)) headers[name] = String(value);
  }
  if (typeof config.header_name === "string" && typeof config.token === "string")
    headers[config.header_name] = config.token;
  // As a cloud's provider would with a block that is not known yet: it calls unauthenticated.
  if (config.token === UNKNOWN) headers["X-Unknown"] = "token";
  return headers;
}
