import type { InProcessIdentityConfig } from "./identity/config";
import { parseServiceSettings } from "./identity/parse-settings";
import { type EmbeddedIdentityOptions, toParts } from "./identity-options";
import { IdentityTwin, type TwinParts } from "./identity-twin";

/**
 * The identity service of {@link EmbeddedIdentityService} without a socket: for tests whose client
 * lets its requests be answered by a function. It starts at once, and there is nothing to stop.
 *
 * @example
 * const identity = InProcessIdentityService.create({ accountId: "123456", serviceUsers: [] });
 * const { status } = await identity.handle({ url: `${identity.keystoneUrl}/auth/tokens`, method:
 * "POST", body: "{}" }); // 400
 */
export class InProcessIdentityService extends IdentityTwin {
  /** An address that nobody can have: requests to it must not leave the process. */
  readonly authUrl = "https://identity.invalid";

  private constructor(parts: TwinParts) {
    super(parts);
  }

  /**
   * @throws ERR_TESTING_CONFIG_INVALID when the configuration is wrong, with the path of each
   * mistake
   */
  static create(
    config: InProcessIdentityConfig,
    options: EmbeddedIdentityOptions = {},
  ): InProcessIdentityService {
    return new InProcessIdentityService(toParts(parseServiceSettings(config), options));
  }
}
