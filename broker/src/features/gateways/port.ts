/** Where a gateway listens, whatever the transport. */
export interface Port {
  readonly id: string; // `stomp:tcp:default`
  readonly running: boolean;
  readonly port: number; // in use
  readonly currentConnections: number;
  start(): Promise<void>;
  /** Its links end too. */
  stop(): Promise<void>;
  endLinks(): void;
  /** Ends the links of those who were not heard of for so long and whom nobody knows; where links do not end by themselves. */
  sweep(patienceMs: number): void;
}
