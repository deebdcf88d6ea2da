import type { ExhookHook } from '@mqdeck/contract/exhooks';
import { loadPackage, type PackageText, serviceOf } from '../../grpc/proto.ts';

const META = 'RequestMeta meta';
const PROPERTIES = 'repeated Property props = 2; repeated TopicFilter topic_filters = 3';
const ofClient = `ClientInfo clientinfo = 1; ${META} = 2`;

/** The same as exhook.proto, for which a test cares. */
export const exhookPackage: PackageText = {
  package: 'emqx.exhook.v3',
  services: {
    HookProvider: {
      OnProviderLoaded: ['ProviderLoadedRequest', 'LoadedResponse'],
      OnProviderUnloaded: ['ProviderUnloadedRequest', 'EmptySuccess'],
      OnClientConnect: ['ClientConnectRequest', 'EmptySuccess'],
      OnClientConnack: ['ClientConnackRequest', 'EmptySuccess'],
      OnClientConnected: ['ClientConnectedRequest', 'EmptySuccess'],
      OnClientDisconnected: ['ClientDisconnectedRequest', 'EmptySuccess'],
      OnClientAuthenticate: ['ClientAuthenticateRequest', 'ValuedResponse'],
      OnClientAuthorize: ['ClientAuthorizeRequest', 'ValuedResponse'],
      OnClientSubscribe: ['ClientSubscribeRequest', 'EmptySuccess'],
      OnClientUnsubscribe: ['ClientUnsubscribeRequest', 'EmptySuccess'],
      OnSessionCreated: ['SessionCreatedRequest', 'EmptySuccess'],
      OnSessionSubscribed: ['SessionSubscribedRequest', 'EmptySuccess'],
      OnSessionUnsubscribed: ['SessionUnsubscribedRequest', 'EmptySuccess'],
      OnSessionResumed: ['SessionResumedRequest', 'EmptySuccess'],
      OnSessionDiscarded: ['SessionDiscardedRequest', 'EmptySuccess'],
      OnSessionTakenover: ['SessionTakenoverRequest', 'EmptySuccess'],
      OnSessionTerminated: ['SessionTerminatedRequest', 'EmptySuccess'],
      OnMessagePublish: ['MessagePublishRequest', 'ValuedResponse'],
      OnMessageDelivered: ['MessageDeliveredRequest', 'EmptySuccess'],
      OnMessageDropped: ['MessageDroppedRequest', 'EmptySuccess'],
      OnMessageAcked: ['MessageAckedRequest', 'EmptySuccess'],
    },
  },
  messages: {
    ProviderLoadedRequest: `BrokerInfo broker = 1; ${META} = 2`,
    ProviderUnloadedRequest: `${META} = 1`,
    ClientConnectRequest: `ConnInfo conninfo = 1; repeated Property props = 2; ${META} = 3; repeated Property user_props = 4`,
    ClientConnackRequest: `ConnInfo conninfo = 1; string result_code = 2; repeated Property props = 3; ${META} = 4; repeated Property user_props = 5`,
    ClientConnectedRequest: ofClient,
    ClientDisconnectedRequest: `ClientInfo clientinfo = 1; string reason = 2; ${META} = 3`,
    ClientAuthenticateRequest: `ClientInfo clientinfo = 1; bool result = 2; ${META} = 3`,
    ClientAuthorizeRequest: {
      fields: `ClientInfo clientinfo = 1; AuthorizeReqType type = 2; string topic = 3; bool result = 4; ${META} = 5`,
      enums: { AuthorizeReqType: ['PUBLISH', 'SUBSCRIBE'] },
    },
    ClientSubscribeRequest: `ClientInfo clientinfo = 1; ${PROPERTIES}; ${META} = 4; repeated Property user_props = 5`,
    ClientUnsubscribeRequest: `ClientInfo clientinfo = 1; ${PROPERTIES}; ${META} = 4; repeated Property user_props = 5`,
    SessionCreatedRequest: ofClient,
    SessionSubscribedRequest: `ClientInfo clientinfo = 1; string topic = 2; SubOpts subopts = 3; ${META} = 4`,
    SessionUnsubscribedRequest: `ClientInfo clientinfo = 1; string topic = 2; ${META} = 3`,
    SessionResumedRequest: ofClient,
    SessionDiscardedRequest: ofClient,
    SessionTakenoverRequest: ofClient,
    SessionTerminatedRequest: `ClientInfo clientinfo = 1; string reason = 2; ${META} = 3`,
    MessagePublishRequest: `Message message = 1; ${META} = 2; repeated Property props = 3; repeated Property user_props = 4`,
    MessageDeliveredRequest: `ClientInfo clientinfo = 1; Message message = 2; ${META} = 3`,
    MessageDroppedRequest: `Message message = 1; string reason = 2; ${META} = 3`,
    MessageAckedRequest: `ClientInfo clientinfo = 1; Message message = 2; ${META} = 3`,
    LoadedResponse: 'repeated HookSpec hooks = 1',
    ValuedResponse: {
      fields: 'ResponsedType type = 1; bool bool_result = 3; Message message = 4',
      enums: { ResponsedType: ['CONTINUE', 'IGNORE', 'STOP_AND_RETURN'] },
      oneof: ['value', ['bool_result', 'message']],
    },
    EmptySuccess: '',
    BrokerInfo: 'string version = 1; string sysdescr = 2; int64 uptime = 3; string datetime = 4',
    HookSpec: 'string name = 1; repeated string topics = 2',
    ConnInfo:
      'string node = 1; string clientid = 2; string username = 3; string peerhost = 4; uint32 sockport = 5; string proto_name = 6; string proto_ver = 7; uint32 keepalive = 8; uint32 peerport = 9',
    ClientInfo:
      'string node = 1; string clientid = 2; string username = 3; string password = 4; string peerhost = 5; uint32 sockport = 6; string protocol = 7; string mountpoint = 8; bool is_superuser = 9; bool anonymous = 10; string cn = 11; string dn = 12; uint32 peerport = 13',
    Message:
      'string node = 1; string id = 2; uint32 qos = 3; string from = 4; string topic = 5; bytes payload = 6; uint64 timestamp = 7; map<string, string> headers = 8',
    Property: 'string name = 1; string value = 2',
    TopicFilter: 'string name = 1; SubOpts subopts = 3',
    SubOpts: 'uint32 qos = 1; uint32 rh = 3; uint32 rap = 4; uint32 nl = 5',
    RequestMeta: 'string node = 1; string version = 2; string sysdescr = 3; string cluster_name = 4',
  },
};

export interface ConnInfo {
  node: string;
  clientid: string;
  username: string;
  peerhost: string;
  sockport: number;
  proto_name: string;
  proto_ver: string;
  keepalive: number;
  peerport: number;
}

export interface HookClientInfo {
  node: string;
  clientid: string;
  username: string;
  password: string;
  peerhost: string;
  sockport: number;
  protocol: string;
  mountpoint: string;
  is_superuser: boolean;
  anonymous: boolean;
  cn: string;
  dn: string;
  peerport: number;
}

export interface HookMessage {
  node: string;
  id: string;
  qos: number;
  from: string;
  topic: string;
  payload: Uint8Array;
  timestamp: number;
  headers: Record<string, string>;
}

export interface LoadedResponse {
  hooks: { name: string; topics: string[] }[];
}

export interface ValuedResponse {
  type: 'CONTINUE' | 'IGNORE' | 'STOP_AND_RETURN';
  value?: 'bool_result' | 'message';
  bool_result?: boolean;
  message?: HookMessage;
}

/** How one call is written and read. */
export interface HookCall {
  readonly name: string; // `OnClientConnect`
  readonly encode: (request: object) => Buffer;
  readonly decode: (bytes: Buffer) => unknown;
}

const service = serviceOf(loadPackage(exhookPackage), 'emqx.exhook.v3.HookProvider');

const callOf = (name: string): HookCall => {
  const { requestSerialize, responseDeserialize } = service[name]!;
  return { name, encode: requestSerialize, decode: responseDeserialize };
};

/** `message.publish` is OnMessagePublish. */
const rpcOf = (hook: string): string =>
  `On${hook
    .split('.')
    .map((part) => part[0]!.toUpperCase() + part.slice(1))
    .join('')}`;

const calls = new Map<ExhookHook, HookCall>();

export function hookCall(hook: ExhookHook): HookCall {
  let call = calls.get(hook);
  if (call === undefined) {
    call = callOf(rpcOf(hook));
    calls.set(hook, call);
  }
  return call;
}

export const loaded = callOf('OnProviderLoaded');
export const unloaded = callOf('OnProviderUnloaded');

/** Those a server may speak, the newest first. */
export const PACKAGES = ['emqx.exhook.v3', 'emqx.exhook.v2'] as const;
export type HookPackage = (typeof PACKAGES)[number];

export const pathOf = (pack: HookPackage, { name }: HookCall): string => `/${pack}.HookProvider/${name}`;
