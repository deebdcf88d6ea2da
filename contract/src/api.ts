import { access } from './access.ts';
import { actions, sources } from './actions.ts';
import { alarms } from './alarms.ts';
import { apiKeys } from './api-keys.ts';
import { audit } from './audit.ts';
import { authentication, listenerAuthentication } from './authentication.ts';
import { authorization } from './authorization.ts';
import { autoSubscribe } from './auto-subscribe.ts';
import { banned, refusedConnections } from './banned.ts';
import { bridges } from './bridges.ts';
import { clientEvents } from './client-events.ts';
import { clients } from './clients.ts';
import { configs } from './configs.ts';
import { connectors } from './connectors.ts';
import { data } from './data.ts';
import { delayed } from './delayed.ts';
import { delivery } from './delivery.ts';
import { errors } from './error-codes.ts';
import { exhooks } from './exhooks.ts';
import { gatewayDevices } from './gateway-devices.ts';
import { gatewayAuthentication, gatewayListenerAuthentication, gateways } from './gateways.ts';
import type { Endpoint } from './kit/endpoint.ts';
import { license } from './license.ts';
import { limiter } from './limiter.ts';
import { listeners } from './listeners.ts';
import { log } from './log.ts';
import { login } from './login.ts';
import { metrics, stats } from './metrics.ts';
import { monitor } from './monitor.ts';
import { cluster, nodes } from './nodes.ts';
import { plugins } from './plugins.ts';
import { prometheus } from './prometheus.ts';
import { publish } from './publish.ts';
import { retainer } from './retainer.ts';
import { rules } from './rules.ts';
import { slowSubscriptions } from './slow-subscriptions.ts';
import { status } from './status.ts';
import { subscriptions, topics } from './subscriptions.ts';
import { sysTopics } from './sys-topics.ts';
import { sysmon } from './sysmon.ts';
import { telemetry } from './telemetry.ts';
import { topicExplorer } from './topic-explorer.ts';
import { topicMetrics } from './topic-metrics.ts';
import { topicRewrite } from './topic-rewrite.ts';
import { traces } from './traces.ts';
import { users } from './users.ts';
import { zones } from './zones.ts';

/** The base path of every endpoint. */
export const API_BASE = '/api/v5';

/** Everything that can be asked, one line a feature. */
export const api = {
  login,
  users,
  apiKeys,
  status,
  errors,
  nodes,
  cluster,
  stats,
  metrics,
  monitor,
  clients,
  clientEvents,
  subscriptions,
  topics,
  publish,
  retainer,
  delayed,
  topicRewrite,
  slowSubscriptions,
  topicMetrics,
  topicExplorer,
  traces,
  autoSubscribe,
  sysTopics,
  sysmon,
  log,
  audit,
  prometheus,
  alarms,
  banned,
  refusedConnections,
  zones,
  listeners,
  authentication,
  listenerAuthentication,
  authorization,
  access,
  delivery,
  limiter,
  data,
  telemetry,
  license,
  configs,
  rules,
  bridges,
  connectors,
  actions,
  sources,
  gateways,
  gatewayDevices,
  gatewayAuthentication,
  gatewayListenerAuthentication,
  exhooks,
  plugins,
} satisfies Record<string, Record<string, Endpoint>>;
