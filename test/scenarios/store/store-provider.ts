/**
 * A secret store for the scenarios: it keeps the value of a write-only argument in a file that only
 * its owner can read, and never in plan or state.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UNKNOWN } from "../../../lib/plugin/cty/value";
import type { AppliedChange, ManagedResource, Provider } from "../../../lib/plugin/provider";

interface Session {
  readonly folder: string;
}

const secret: ManagedResource<Session> = {
  schema: {
    description: "A secret of the store.",
    attributes: {
      name: { type: "string", description: "Its name.", required: true },
      value_wo: {
        type: "string",
        description: "Its value.",
        required: true,
        writeOnly: true,
        sensitive: true,
      },
      value_wo_version: {
        type: "number",
        description: "The value is pushed when this changes.",
        required: true,
      },
      pushes: { type: "number", description: "How often a value was pushed.", computed: true },
    },
  },
  async plan({ prior, config, proposed }) {
    if (
      prior !== null &&
      prior.name === config.name &&
      prior.value_wo_version === config.value_wo_version
    )
      return { planned: prior };
    return { planned: { ...proposed, pushes: UNKNOWN } };
  },
  create: async (change, { session }) => pushed(change, 1, session),
  update: async ({ prior, ...change }, { session }) =>
    pushed(change, Number(prior.pushes) + 1, session),
  async destroy({ state }, { session }) {
    rmSync(join(session.folder, String(state.name)), { force: true });
    return [];
  },
};

function pushed({ config, planned }: AppliedChange, pushes: number, { folder }: Session) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, String(config.name)), String(config.value_wo), { mode: 0o600 });
  return { state: { ...planned, pushes } };
}

export const storeProvider: Provider<Session> = {
  schema: {
    description: "The secret store of the scenarios.",
    attributes: {
      folder: { type: "string", description: "Where the secrets are.", required: true },
    },
  },
  resources: { store_secret: secret },
  ephemeralResources: {},
  dataSources: {},
  configure: async (config) => ({ session: { folder: String(config.folder) } }),
};
