import { searchText } from './search-text.ts';

/**
 * An id as one segment of a URL. Browsers resolve `.` and `..` even when encoded, and an empty segment names nothing:
 * those, and what begins with the mark itself, get a `~` in front.
 */
export const segmentOf = (id: string): string =>
  (/^(~.*|\.{0,2})$/s.test(id) ? '~' : '') + encodeURIComponent(id);

/** The id of a segment whose percent-encoding the router has taken off. */
export const idOf = (segment: string): string => (segment.startsWith('~') ? segment.slice(1) : segment);

/** Every address of the console below its base path; screens build none by hand. */
export const paths = {
  home: () => '/',
  login: (to?: string) => (to === undefined ? '/login' : `/login?to=${encodeURIComponent(to)}`),
  overview: () => '/dashboard/overview',
  nodes: () => '/dashboard/nodes',
  node: (node: string) => `/dashboard/nodes/${segmentOf(node)}`,
  metrics: () => '/dashboard/metrics',
  currentAlarms: () => '/alarm/current-alarm',
  historyAlarms: () => '/alarm/history-alarm',
  clients: () => '/connections',
  client: (clientid: string) => `/connections/detail/${segmentOf(clientid)}`,
  clientTimeline: (clientid: string) => `/connections/detail/${segmentOf(clientid)}?tab=timeline`,
  subscriptions: () => '/subscriptions/subscription',
  topics: () => '/subscriptions/topics',
  retained: () => '/retained',
  users: () => '/users',
  /** The form that changes the password of who is signed in. */
  ownPassword: () => '/users?password=own',
  banned: () => '/blacklist',
  /** The form that bans, filled in. */
  ban: (as: string, who = '') => `/blacklist?ban=${encodeURIComponent(as)}&who=${encodeURIComponent(who)}`,
  refusedConnections: () => '/blacklist?tab=refused',
  flapping: () => '/blacklist?tab=flapping',
  authentication: () => '/authentication',
  authenticationCreate: () => '/authentication/create',
  authenticator: (id: string, tab?: 'settings' | 'users') =>
    `/authentication/detail/${segmentOf(id)}${tab === undefined ? '' : `?tab=${tab}`}`,
  authorization: () => '/authorization',
  authorizationCreate: () => '/authorization/create',
  authorizationSource: (type: string) => `/authorization/detail/${segmentOf(type)}`,
  accessTest: () => '/authorization/test',
  gateways: () => '/gateway',
  gatewayCreate: (name: string) => `/gateway/create/${segmentOf(name)}`,
  gateway: (name: string, part: 'settings' | 'listeners' | 'auth' | 'connections' = 'settings') =>
    `/gateway/detail/${segmentOf(name)}/${part}`,
  apiKeys: () => '/APIKey',
  plugins: () => '/plugins',
  pluginInstall: () => '/plugins/install',
  plugin: (nameAndVersion: string) => `/plugins/detail/${segmentOf(nameAndVersion)}`,
  exhooks: () => '/exhook',
  exhookCreate: () => '/exhook/create',
  exhook: (name: string) => `/exhook/detail/${segmentOf(name)}`,
  rules: () => '/rules',
  /** From nothing, as a copy of a rule, or for a data bridge. */
  ruleCreate: ({ copy, bridge }: { copy?: string; bridge?: string } = {}) =>
    copy !== undefined
      ? `/rules/create/form?action=copy&target=${encodeURIComponent(copy)}`
      : `/rules/create/form${bridge === undefined ? '' : `?bridgeId=${encodeURIComponent(bridge)}`}`,
  rule: (id: string, part: 'info' | 'bridge' = 'info', tab?: 'settings') =>
    `/rules/detail/${segmentOf(id)}/${part}${tab === undefined ? '' : `?tab=${tab}`}`,
  bridges: () => '/bridge/dataBridge',
  /** From nothing, or as a copy of a bridge. */
  bridgeCreate: ({ copy }: { copy?: string } = {}) =>
    `/bridge/dataBridge/create${copy === undefined ? '' : `?action=copy&target=${encodeURIComponent(copy)}`}`,
  bridge: (id: string, tab?: 'settings') =>
    `/bridge/dataBridge/detail/${segmentOf(id)}${tab === undefined ? '' : `?tab=${tab}`}`,
  flow: () => '/flow',
  listeners: () => '/listener',
  /** The list with the form of this one open. */
  listener: (id: string) => `/listener?open=${encodeURIComponent(id)}`,
  listenerAuthentication: (listener: string) => `/listener/detail/${segmentOf(listener)}/authentication`,
  listenerAuthenticationCreate: (listener: string) =>
    `/listener/detail/${segmentOf(listener)}/authentication/create`,
  listenerAuthenticator: (listener: string, id: string, tab?: 'settings' | 'users') =>
    `/listener/detail/${segmentOf(listener)}/authentication/detail/${segmentOf(id)}${tab === undefined ? '' : `?tab=${tab}`}`,
  /** Unless told, the first tab that is there. */
  mqtt: (part: 'general' | 'session' | 'retainer' | 'system-topic' | 'extension' = 'general') =>
    `/mqtt/${part}`,
  log: () => '/log',
  limiter: () => '/limiter',
  monitoring: (part: 'alarm-settings' | 'integration' = 'alarm-settings') => `/monitoring/${part}`,
  websocketClient: () => '/websocket/client',
  /** Why a message of one client does not reach another; filled in as far as is known. */
  delivery: ({
    publisher,
    topic,
    subscriber,
  }: {
    publisher?: string;
    topic?: string;
    subscriber?: string;
  } = {}) => `/delivery${searchText({ publisher, topic, subscriber })}`,
  topicExplorer: (topic?: string) => `/topics${searchText({ topic })}`,
  topicMetrics: () => '/topic-metrics',
  slowSubscriptions: () => '/slow-sub',
  slowSubscriptionsConfig: () => '/slow-sub/config',
  logTraces: () => '/log-trace',
  /** The form that creates a trace, filled in. */
  logTraceCreate: (type: 'clientid' | 'topic' | 'ip_address' | 'ruleid', condition = '') =>
    `/log-trace?create=${encodeURIComponent(`${type}:${condition}`)}`,
  logTrace: (id: string) => `/log-trace/detail/${segmentOf(id)}`,
  /** All of it, or what somebody did. */
  audit: ({ source }: { source?: string } = {}) =>
    `/audit${source === undefined ? '' : `?source=${encodeURIComponent(source)}`}`,
  backup: () => '/backup',
  settings: () => '/settings',
  help: () => '/help',
  gallery: () => '/__gallery',
} as const;
