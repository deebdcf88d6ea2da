/** Who a peer is by its TLS certificate, or by what a proxy that speaks for it says of one. */
export interface PeerCertificate {
  commonName: string | null;
  subject: string | null; // `CN=device-7,O=Example`
  der: Uint8Array | null; // null when only a proxy has seen it
}

/** One way to a peer: a TCP socket, a WebSocket, or a pipe in memory. Bytes in and out; MQTT begins behind it. */
export interface Connection {
  readonly remoteAddress: string;
  readonly remotePort: number;
  /** Undefined or null: it showed none. Known when MQTT begins. */
  readonly certificate?: PeerCertificate | null;
  /** Bytes taken by `write` that have not left yet. */
  readonly bufferedBytes: number;
  /** When `bufferedBytes` is 0 afterwards, the array is the caller's again; otherwise it belongs to the connection. */
  write(bytes: Uint8Array): void;
  /**
   * Ends after what is buffered has left, or after a moment when the peer does not read. `soon`: also when the peer goes
   * on sending much.
   */
  close(soon?: boolean): void;
  /** Stops and resumes the bytes coming in. */
  pause(): void;
  resume(): void;
}

/** What a connection tells; the channel behind it. */
export interface ConnectionEvents {
  onBytes(chunk: Uint8Array): void;
  /** Of a connection that hands over whole messages: so many bytes of one have come. False: no need to tell more. */
  onUnfinished?(bytes: number): boolean;
  /** All buffered bytes have left. */
  onDrain(): void;
  onClose(): void;
}
