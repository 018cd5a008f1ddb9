import { planAll } from "../load/planned";
import { embeddedUnderLoad } from "../load/service-under-load";
import { type Figure, numberFigure, type Section } from "./section";
import type { Stage } from "./stage";

const SIZES = [250, 500, 1_000] as const;
const CONNECTIONS = 64;
/** Time for one credential, of a thousand against of a quarter: 1 would be a straight line. */
const GROWTH = 1.5;

const WAYS = [
  ["attached: 1,000 service users", "users"],
  ["launched: 1,000 projects of one service user", "projects"],
] as const;

/** A thousand credentials, all different, in one plan. */
export async function measureCredentials(stage: Stage): Promise<Section[]> {
  const notes: string[] = [];
  const figures: Figure[] = [];
  for (const [what, distinct] of WAYS) {
    const times: number[] = [];
    let most = 0;
    for (const size of SIZES) {
      stage.tell(`${what}: ${size}`);
      const service = await embeddedUnderLoad({ credentials: size, distinct });
      try {
        const { exitCode, text, durationMs, peakMb } = await planAll(service);
        if (exitCode !== 0) throw new Error(text.slice(0, 4_000));
        const requests = service.identity?.journal.length ?? Number.NaN;
        times.push(durationMs / size);
        most = Math.max(most, service.relay.atOnce);
        notes.push(
          `${what.split(":")[0]}, ${size} ${distinct}: ${(durationMs / 1_000).toFixed(1)} s, ${requests} requests, ${service.relay.atOnce} connections at once, ${peakMb} MiB at most`,
        );
      } finally {
        await service.stop();
      }
    }
    figures.push(
      numberFigure(`${what} in one plan`, CONNECTIONS, most, "connections at once"),
      numberFigure(
        `${what}: time for each, of ${SIZES[2]} / of ${SIZES[0]}`,
        GROWTH,
        (times[2] ?? Number.NaN) / (times[0] ?? 1),
        "",
      ),
    );
  }
  return [
    { title: "1,000 different credentials in one plan, none fails", outcomes: [], notes, figures },
  ];
}
