/** What the operator wrote cannot work; the message says why, and holds no secret. */
export class ConfigError extends Error {
  /** The field that is wrong. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}
