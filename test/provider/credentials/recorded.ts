import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLOUD_SET_UPS, type SetUp } from "./cloud-set-ups";

/** What openstacksdk asks by a set-up, or how it fails; and what we do `here`, where that differs. */
export interface Recorded {
  readonly what: string;
  readonly openstacksdk: unknown;
  readonly here?: unknown;
}

const fileOf = (name: string) => join(__dirname, "recorded", `${name}.jsonl`);
const linesOf = (name: string) =>
  readFileSync(fileOf(name), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/**
 * Files that each show one rule; then those that clouds, dashboards and installers hand out, and
 * settings in every place and by every name, as fast-check made them.
 */
export const SET_UPS: readonly SetUp[] = [...CLOUD_SET_UPS, ...linesOf("set-ups")];

export const readRecord = (): readonly Recorded[] => linesOf("openstacksdk");

export const writeRecord = (record: readonly Recorded[]) =>
  writeFileSync(fileOf("openstacksdk"), record.map((each) => `${JSON.stringify(each)}\n`).join(""));
