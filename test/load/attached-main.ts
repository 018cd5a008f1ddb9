// A provider for any number of Terraform processes, with what is in the environment: prints TF_REATTACH_PROVIDERS, and ends by SIGTERM.
import { serveAttached } from "../../lib/plugin";
import { createIamProvider } from "../../lib/provider/iam-provider";
import { PROVIDER_SOURCE } from "../../lib/provider/schema/names";

async function main(): Promise<void> {
  const provider = createIamProvider({
    surroundings: { variables: { ...process.env }, workingFolder: process.cwd(), attached: true },
  });
  const server = await serveAttached(provider);
  process.once("SIGTERM", () => {
    void server.close().then(() => provider.close());
  });
  console.log(JSON.stringify({ [PROVIDER_SOURCE]: server.reattach }));
}

void main();
