import { loadPackage, type PackageText, serviceOf } from '../../../grpc/proto.ts';

const HANDLER = {
  OnSocketCreated: 'SocketCreatedRequest',
  OnSocketClosed: 'SocketClosedRequest',
  OnReceivedBytes: 'ReceivedBytesRequest',
  OnTimerTimeout: 'TimerTimeoutRequest',
  OnReceivedMessages: 'ReceivedMessagesRequest',
} as const;
export type HandlerEvent = keyof typeof HANDLER;

/** The same as exproto.proto, for which a test cares. */
export const exprotoPackage: PackageText = {
  package: 'emqx.exproto.v1',
  services: {
    ConnectionAdapter: {
      Send: ['SendBytesRequest', 'CodeResponse'],
      Close: ['CloseSocketRequest', 'CodeResponse'],
      Authenticate: ['AuthenticateRequest', 'CodeResponse'],
      StartTimer: ['TimerRequest', 'CodeResponse'],
      Publish: ['PublishRequest', 'CodeResponse'],
      Subscribe: ['SubscribeRequest', 'CodeResponse'],
      Unsubscribe: ['UnsubscribeRequest', 'CodeResponse'],
      RawPublish: ['RawPublishRequest', 'CodeResponse'],
    },
    ConnectionUnaryHandler: Object.fromEntries(
      Object.entries(HANDLER).map(([name, request]) => [name, [request, 'EmptySuccess'] as const]),
    ),
    ConnectionHandler: Object.fromEntries(
      Object.entries(HANDLER).map(([name, request]) => [name, [request, 'EmptySuccess', 'stream'] as const]),
    ),
  },
  enums: {
    ResultCode: [
      'SUCCESS',
      'UNKNOWN',
      'CONN_PROCESS_NOT_ALIVE',
      'REQUIRED_PARAMS_MISSED',
      'PARAMS_TYPE_ERROR',
      'PERMISSION_DENY',
    ],
    TimerType: ['KEEPALIVE'],
    SocketType: ['TCP', 'SSL', 'UDP', 'DTLS'],
  },
  messages: {
    EmptySuccess: '',
    CodeResponse: 'ResultCode code = 1; string message = 2',
    SendBytesRequest: 'string conn = 1; bytes bytes = 2',
    CloseSocketRequest: 'string conn = 1',
    AuthenticateRequest: 'string conn = 1; ClientInfo clientinfo = 2; string password = 3',
    TimerRequest: 'string conn = 1; TimerType type = 2; uint32 interval = 3',
    PublishRequest: 'string conn = 1; string topic = 2; uint32 qos = 3; bytes payload = 4',
    RawPublishRequest: 'string topic = 1; uint32 qos = 2; bytes payload = 3',
    SubscribeRequest: 'string conn = 1; string topic = 2; uint32 qos = 3',
    UnsubscribeRequest: 'string conn = 1; string topic = 2',
    SocketCreatedRequest: 'string conn = 1; ConnInfo conninfo = 2',
    ReceivedBytesRequest: 'string conn = 1; bytes bytes = 2',
    TimerTimeoutRequest: 'string conn = 1; TimerType type = 2',
    SocketClosedRequest: 'string conn = 1; string reason = 2',
    ReceivedMessagesRequest: 'string conn = 1; repeated Message messages = 2',
    ConnInfo:
      'SocketType socktype = 1; Address peername = 2; Address sockname = 3; CertificateInfo peercert = 4',
    Address: 'string host = 1; uint32 port = 2',
    CertificateInfo: 'string cn = 1; string dn = 2',
    ClientInfo:
      'string proto_name = 1; string proto_ver = 2; string clientid = 3; string username = 4; string mountpoint = 5',
    Message:
      'string node = 1; string id = 2; uint32 qos = 3; string from = 4; string topic = 5; bytes payload = 6; uint64 timestamp = 7',
  },
};

const definition = loadPackage(exprotoPackage);

export const exprotoService = (name: 'ConnectionAdapter' | 'ConnectionUnaryHandler' | 'ConnectionHandler') =>
  serviceOf(definition, `emqx.exproto.v1.${name}`);

export type ResultCode =
  | 'SUCCESS'
  | 'UNKNOWN'
  | 'CONN_PROCESS_NOT_ALIVE'
  | 'REQUIRED_PARAMS_MISSED'
  | 'PARAMS_TYPE_ERROR'
  | 'PERMISSION_DENY';

export interface CodeResponse {
  code: ResultCode;
  message: string;
}

export interface ClientInfo {
  proto_name: string;
  proto_ver: string;
  clientid: string;
  username: string;
}

/** What a handler may send with a call; each call has its own of these. */
export interface AdapterRequest {
  conn: string;
  bytes: Buffer;
  clientinfo: ClientInfo | null;
  password: string;
  type: 'KEEPALIVE';
  interval: number;
  topic: string;
  qos: number;
  payload: Buffer;
}
