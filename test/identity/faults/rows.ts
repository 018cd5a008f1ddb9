import { ANSWER_ROWS } from "./answer-rows";
import { CONNECTION_ROWS } from "./connection-rows";
import type { FaultRow } from "./fault-row";
import { STATUS_ROWS } from "./status-rows";

/** The specification of our client, by what may happen to it. */
export const FAULT_ROWS: readonly FaultRow[] = [...STATUS_ROWS, ...ANSWER_ROWS, ...CONNECTION_ROWS];
