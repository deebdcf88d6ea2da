/** What the operator wrote cannot work; the message says what and where, and holds no secret. */
export class ConfigError extends Error {}
