import type { Finding } from "./finding";
import type { Scene } from "./scene";

/** Looks at one thing, and changes nothing. It keeps its own bounds of time. */
export type Check = (scene: Scene) => readonly Finding[] | Promise<readonly Finding[]>;
