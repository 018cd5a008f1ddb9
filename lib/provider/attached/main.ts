/**
 * The program that `iam-tokens run` starts: the provider `iam`, for all Terraform processes of a
 * pipeline.
 */
import { openSync } from "node:fs";
import type { Usage } from "../../identity";
import { faultName, PluginStartError } from "../../plugin/faults";
import { descriptorWriter } from "../../plugin/launch/descriptor-writer";
import { createHclog, logLevelOf } from "../../plugin/launch/hclog";
import { type AttachedServer, serveAttached } from "../../plugin/serve/serve-attached";
import { monotonicNow } from "../../tokens";
import { PROVIDER_TYPE } from "../names";
import {
  type FromProvider,
  type ToProvider,
  WATCHED_SIGNALS,
  type WatchedSignal,
} from "./messages";
import { createPipelineProvider } from "./pipeline-provider";

if (process.send === undefined) {
  console.error('This program is a part of "iam-tokens run", which starts it itself.');
  process.exit(1);
}
/** After this time in which it could run, a process has handled its pending signals. */
const PENDING_MS = 50;
attendPipeline();

/**
 * Serves the provider to a pipeline until the process that started this one requests the end, or
 * has ended. This function owns the process.
 *
 * Signals do not end it: a terminal sends them to the whole process group, and the command still
 * needs the provider for a clean end. If the other process ends without a message (kill -9), new
 * clients are refused, and connected ones are served until they leave.
 */
function attendPipeline(): void {
  const { env } = process;
  const log = createHclog({
    write: logWriter(env),
    module: `provider.${PROVIDER_TYPE}`,
    level: logLevelOf(env),
    clock: Date.now,
  });
  const send = (message: FromProvider, then: () => void = ignore): void => {
    // The callback receives the error of a channel whose other end is gone; `disconnect` reports
    // it.
    if (process.connected) process.send?.(message, then);
    else then();
  };
  process.on("uncaughtException", (error) => {
    const fault = faultName(error);
    log("error", "internal error: the provider ends", { fault });
    send({ type: "fault", fault }, () => process.exit(1));
  });

  const seen = new Map<WatchedSignal, number>();
  const interrupt = (): void => void serving.then((server) => server.interrupt(), ignore);
  for (const signal of WATCHED_SIGNALS) {
    process.on(signal, () => {
      seen.set(signal, monotonicNow());
      if (signal === "SIGINT" || signal === "SIGTERM") interrupt();
    });
  }
  process.on("message", (message: ToProvider) => {
    if (message.type === "interrupt") interrupt();
    else if (message.type === "end")
      void leave(
        (server) => server.end(),
        (usage) => send({ type: "ended", usage }, () => process.exit(0)),
      );
    else {
      const answer = (): void =>
        send({ type: "saw", id: message.id, at: seen.get(message.signal) ?? null });
      // Later: a signal that is pending when this process gets its turn may be handled after the
      // message, even by several turns of the event loop if another thread takes it.
      setTimeout(() => setImmediate(answer), PENDING_MS);
    }
  });
  process.on("disconnect", () => {
    log("warn", "the process that started the provider has ended: new connections are refused");
    void leave(
      (server) => server.drain(),
      () => process.exit(0),
    );
  });

  const pipeline = createPipelineProvider({ ...env }, process.cwd());
  const serving = serveAttached(pipeline.provider, log);
  const leave = async (
    how: (server: AttachedServer) => Promise<void>,
    then: (usage: Usage) => void,
  ): Promise<void> => {
    const server = await serving.catch(ignore);
    if (server !== undefined) await how(server);
    await pipeline.provider.close();
    then(pipeline.usage);
  };
  serving.then(
    ({ reattach }) => send({ type: "ready", reattach }),
    (error: unknown) =>
      send({
        type: "refused",
        problem:
          error instanceof PluginStartError
            ? error.message
            : `Internal error (${faultName(error)}).`,
      }),
  );
}

/** The destination of Terraform's own log. */
function logWriter({ TF_LOG_PATH: path = "" }: NodeJS.ProcessEnv) {
  try {
    return descriptorWriter(openSync(path, "a", 0o600));
  } catch {
    return descriptorWriter(2);
  }
}

function ignore(): undefined {}
