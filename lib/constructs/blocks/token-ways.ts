import { TokenResolution } from "../token-resolution";
import { DATA_WAY } from "./data-block";
import { EPHEMERAL_WAY } from "./ephemeral-block";
import { ROTATING_WAY } from "./resource-block";
import { SYNTH_IN_STATE_WAY, SYNTH_WAY } from "./synth-variable";
import type { TokenWay } from "./token-way";

/**
 * The way that a resolution stands for.
 *
 * @param allowInState of tokens that are resolved before synthesis: whether the value may stand in
 * plan and state
 */
export function wayOf(resolution: TokenResolution, allowInState = false): TokenWay {
  switch (resolution) {
    case TokenResolution.EPHEMERAL:
      return EPHEMERAL_WAY;
    case TokenResolution.DATA:
      return DATA_WAY;
    case TokenResolution.ROTATING:
      return ROTATING_WAY;
    case TokenResolution.SYNTH:
      return allowInState ? SYNTH_IN_STATE_WAY : SYNTH_WAY;
  }
}
