/** The server cannot start. The message is for the user: one sentence or two, no secret. */
export class PluginStartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PluginStartError";
  }
}
