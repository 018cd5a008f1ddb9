import { IdentityClient, type Limits } from "../../../lib/identity";
import { type RawRequest, RawServer } from "./raw-server";
import { requestAt, TOKEN_CANARY } from "./wanted";

export const TOKEN = `X-Subject-Token: ${TOKEN_CANARY}`;

/** A client whose waits between tries take no time, against a server that follows a script. */
export async function against<Result>(
  respond: (request: RawRequest) => void,
  use: (client: IdentityClient, server: RawServer) => Promise<Result>,
  limits: Partial<Limits> = {},
): Promise<Result> {
  const server = await RawServer.start(respond);
  const client = new IdentityClient({ limits, random: () => 0.5, sleep: async () => {} });
  try {
    return await use(client, server);
  } finally {
    await client.close();
    await server.close();
  }
}

export const at = (server: RawServer) => requestAt(`http://127.0.0.1:${server.port}`);
export const say = (text: string) => (request: RawRequest) => request.socket.write(text, "latin1");
