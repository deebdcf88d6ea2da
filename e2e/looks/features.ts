import { access } from './access.views.ts';
import { alarms } from './alarms.views.ts';
import { apiKeys } from './api-keys.views.ts';
import { audit } from './audit.views.ts';
import { authentication } from './authentication.views.ts';
import { authorization } from './authorization.views.ts';
import { backup } from './backup.views.ts';
import { banned } from './banned.views.ts';
import { bridges } from './bridges.views.ts';
import { clientTimeline } from './client-timeline.views.ts';
import { clients } from './clients.views.ts';
import { dashboard } from './dashboard.views.ts';
import { delivery } from './delivery.views.ts';
import { editor } from './editor.views.ts';
import { exhook } from './exhook.views.ts';
import { flow } from './flow.views.ts';
import { gateways } from './gateways.views.ts';
import { license } from './license.views.ts';
import { limiter } from './limiter.views.ts';
import { listeners } from './listeners.views.ts';
import { log } from './log.views.ts';
import { login } from './login.views.ts';
import { monitoring } from './monitoring.views.ts';
import { mqttExtension } from './mqtt-extension.views.ts';
import { mqttSettings } from './mqtt-settings.views.ts';
import { plugins } from './plugins.views.ts';
import { retained } from './retained.views.ts';
import { rules } from './rules.views.ts';
import { settings } from './settings.views.ts';
import { shell } from './shell.views.ts';
import { slowSubscriptions } from './slow-subscriptions.views.ts';
import { subscriptions } from './subscriptions.views.ts';
import { topicExplorer } from './topic-explorer.views.ts';
import { topicMetrics } from './topic-metrics.views.ts';
import { trace } from './trace.views.ts';
import { leanUpstream, upstream } from './upstream.views.ts';
import { users } from './users.views.ts';
import type { FeatureViews } from './view.ts';
import { websocketClient } from './websocket-client.views.ts';

/** Everything that the console shows. */
export const features: readonly FeatureViews[] = [
  access,
  alarms,
  apiKeys,
  audit,
  authentication,
  authorization,
  backup,
  banned,
  bridges,
  clientTimeline,
  clients,
  dashboard,
  delivery,
  editor,
  exhook,
  flow,
  gateways,
  leanUpstream,
  license,
  limiter,
  listeners,
  log,
  login,
  monitoring,
  mqttExtension,
  mqttSettings,
  plugins,
  retained,
  rules,
  settings,
  shell,
  slowSubscriptions,
  subscriptions,
  topicExplorer,
  topicMetrics,
  trace,
  upstream,
  users,
  websocketClient,
];
