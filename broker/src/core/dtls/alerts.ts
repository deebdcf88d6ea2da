/** Descriptions of alerts, RFC 5246 section 7.2, those that are sent here. */
export const Alert = {
  closeNotify: 0,
  unexpectedMessage: 10,
  handshakeFailure: 40,
  badCertificate: 42,
  unsupportedCertificate: 43,
  certificateExpired: 45,
  certificateUnknown: 46,
  illegalParameter: 47,
  unknownCa: 48,
  decodeError: 50,
  decryptError: 51,
  protocolVersion: 70,
  internalError: 80,
  noRenegotiation: 100,
} as const;
export type Alert = (typeof Alert)[keyof typeof Alert];

/** The peer is told what is wrong, and the association ends. */
export class DtlsError extends Error {
  readonly alert: Alert;

  constructor(alert: Alert, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DtlsError';
    this.alert = alert;
  }
}

/** What goes wrong with one peer, for whatever reason, is its own affair. */
export const asDtlsError = (cause: unknown): DtlsError =>
  cause instanceof DtlsError ? cause : new DtlsError(Alert.internalError, 'it failed', { cause });
