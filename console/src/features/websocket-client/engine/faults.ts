import type { ProtocolVersion } from '@mqdeck/mqtt/packets';

/** What a peer said about itself when it refused or left. */
export interface Said {
  version: ProtocolVersion;
  reasonCode: number;
  reasonString?: string | undefined;
  serverReference?: string | undefined;
}

/** Why there is no connection, or why something asked of it was not done. */
export type Fault =
  /** A page that came over https may not open `ws://` addresses. */
  | { kind: 'mixedContent' }
  | { kind: 'badAddress' }
  /** The page's own policy keeps it from that host. */
  | { kind: 'notAllowed' }
  | { kind: 'unreachable' }
  /** Something answers there, but not with the sub-protocol `mqtt` or not in binary frames. */
  | { kind: 'notMqtt' }
  | { kind: 'timeout'; seconds: number }
  | ({ kind: 'refused' } & Said)
  | ({ kind: 'ended' } & Said)
  /** Closed before CONNACK, without a word. */
  | { kind: 'closedEarly'; closeCode: number }
  | { kind: 'lost'; closeCode: number }
  | { kind: 'noPingResponse'; seconds: number }
  /** The server broke the protocol. */
  | { kind: 'protocol'; reasonCode: number; message: string }
  | { kind: 'notConnected' }
  /** The acknowledgement had not come when the connection ended. */
  | { kind: 'unacknowledged' }
  | { kind: 'tooLarge'; bytesMax: number }
  | { kind: 'qosTooHigh'; qosMax: number }
  | { kind: 'retainNotAvailable' }
  | { kind: 'aliasTooHigh'; aliasMax: number }
  | { kind: 'aliasUnknown' }
  | { kind: 'wildcardNotAvailable' }
  | { kind: 'sharedNotAvailable' }
  | { kind: 'identifierNotAvailable' }
  /** A text that no packet can carry: U+0000, half a character, or longer than 65,535 bytes. */
  | { kind: 'textNotSendable' }
  | { kind: 'tooManyInFlight' };

/** Something asked of the client was not done. */
export class ClientFault extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.kind);
    this.name = 'ClientFault';
    this.fault = fault;
  }
}

export const refuse = (fault: Fault): never => {
  throw new ClientFault(fault);
};
