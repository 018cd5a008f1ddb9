// npm test -- platforms [--install] [--only TEXT] [--json FILE]: a short life of a stack on each
// platform, with each Node.js, Terraform and OpenTofu in the cache; missing ones are named.
// --install first fetches and builds them: minutes each. --here tests only this machine, with the
// Node.js and the Terraform on PATH.
import { existsSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { parseArgs } from "node:util";
import { cacheFolder } from "../support/cache";
import { checkNothingLeft } from "./left-behind";
import { killCommands, type Machine } from "./machine";
import { probe } from "./probe";
import { type Row, rows, rowsHere } from "./rows";

/** The outcome of a row, in the form of jest's results, which .ci/run counts. */
interface Result {
  readonly fullName: string;
  readonly status: "passed" | "failed" | "pending";
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      install: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      here: { type: "boolean", default: false },
      json: { type: "string" },
    },
  });
  const chosen = () =>
    (values.here ? rowsHere : rows)().filter((row) => nameOf(row).includes(values.only));
  if (values.install) await install(chosen());
  const results: Result[] = [];
  // By now everything is built.
  for (const row of chosen()) results.push(await resultOf(row));
  const count = (wanted: Result["status"]) =>
    results.filter(({ status }) => status === wanted).length;
  const [passed, failed, skipped] = [count("passed"), count("failed"), count("pending")];
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  // A run of this machine alone that could not start has shown nothing.
  if (failed > 0 || (values.here && passed === 0)) process.exitCode = 1;
  if (values.json === undefined) return;
  const counts = { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped };
  const testResults = [{ assertionResults: results }];
  writeFileSync(values.json, JSON.stringify({ ...counts, testResults }));
}

const nameOf = ({ platform, node, client }: Row): string =>
  `${platform}, Node.js ${node}, ${client}`;

async function install(chosen: readonly Row[]): Promise<void> {
  const done = new Set<string>();
  const possible = chosen.filter(({ missing }) => missing === undefined);
  for (const { name, path, install: get } of possible.flatMap(({ needs }) => needs)) {
    // Not by its name, which programs for several platforms may share.
    if (existsSync(path) || done.has(path)) continue;
    done.add(path);
    console.log(`getting ${name}: ${relative(cacheFolder(), path)}`);
    // Most of them block: signals are handled between two of them.
    await turn();
    try {
      await get();
    } catch (error) {
      console.log(`${name} cannot be had: ${asError(error).message}`);
    }
  }
}

/** The open one: a signal must not leave its commands or a Wine server behind. */
let open: Machine | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    killCommands();
    void (open?.close() ?? Promise.resolve()).finally(() => process.exit(1));
  });

async function resultOf(row: Row): Promise<Result> {
  const fullName = nameOf(row);
  const lacks = row.needs.filter(({ path }) => !existsSync(path)).map(({ name }) => name);
  const why = row.missing ?? (lacks.length > 0 ? `not in the cache: ${lacks.join(", ")}` : "");
  if (why !== "") {
    console.log(`skipped ${fullName}: ${why}`);
    return { fullName: `${fullName} (skipped: ${why})`, status: "pending" };
  }
  const began = performance.now();
  try {
    await play(row);
    console.log(`passed  ${fullName}: ${Math.round((performance.now() - began) / 1000)} s`);
    return { fullName, status: "passed" };
  } catch (error) {
    console.log(`failed  ${fullName}: ${asError(error).message}`);
    return { fullName, status: "failed" };
  }
}

/**
 * Rejects with what is wrong. Emulators crash, hang or print errors of their own at random: a row
 * that fails in one is run once more. What is wrong with the package is wrong again.
 */
async function play(row: Row): Promise<void> {
  const failure = await failureIn(row);
  if (failure === undefined) return;
  if (row.emulator === undefined) throw failure;
  console.log(`again   ${nameOf(row)}, as it may be ${row.emulator}: ${failure.message}`);
  const second = await failureIn(row);
  if (second !== undefined) throw second;
}

/** Rejects with anything that is left behind: that is never the emulator's. */
async function failureIn({ open: start, modes, ephemerals }: Row): Promise<Error | undefined> {
  let failure: Error | undefined;
  let machine: Machine | undefined;
  try {
    machine = await start();
    open = machine;
    for (const check of machine.checks ?? []) await check();
    for (const mode of modes) await probe(machine, { mode, ephemerals });
  } catch (error) {
    failure = asError(error);
  } finally {
    open = undefined;
    await machine?.close();
  }
  if (machine !== undefined) await checkNothingLeft(machine);
  return failure;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

void main();
