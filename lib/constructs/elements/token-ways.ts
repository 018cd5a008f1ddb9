import { TokenResolution } from "../token-resolution";
import { DATA_WAY } from "./data-block";
import { EPHEMERAL_WAY } from "./ephemeral-block";
import type { TokenWay } from "./token-way";

/** The way that a resolution stands for. */
export function wayOf(resolution: TokenResolution): TokenWay {
  switch (resolution) {
    case TokenResolution.EPHEMERAL:
      return EPHEMERAL_WAY;
    case TokenResolution.DATA:
      return DATA_WAY;
  }
}
