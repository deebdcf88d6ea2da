import { createRootRoute, createRoute, type RouteComponent, redirect } from '@tanstack/react-router';
import { App } from './App.tsx';
import { getSession } from './api/session.ts';
import { LoginPage } from './features/login/LoginPage.tsx';
import { lazyPage } from './lazy-page.ts';
import { currentPath } from './navigate.ts';
import { paths } from './paths.ts';
import type { PageId } from './shell/page-words.ts';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The page of the menu this route belongs to. */
    page?: PageId;
    /** The parameter that names the thing shown: it ends the breadcrumb. */
    thing?: string;
  }
}

const root = createRootRoute({ component: App });

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  component: LoginPage, // not lazy: one request less for the page that everybody meets first
});

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: lazyPage(() => import('./shell/Shell.tsx'), 'Shell'),
});

/** Everything below wants a sign-in; the address asked for comes along. */
const guarded = createRoute({
  getParentRoute: () => shell,
  id: 'guarded',
  beforeLoad: ({ location }) => {
    if (getSession() === null) {
      // `location.href` is below the base path, as `paths` are.
      throw redirect({ to: '/login', search: { to: location.href || currentPath() }, replace: true });
    }
  },
});

/** The address of a page: the menu page it belongs to, its component, and the parameter it shows. */
const page = (path: string, id: PageId, component: RouteComponent, thing?: string) =>
  createRoute({
    getParentRoute: () => guarded,
    path,
    component,
    staticData: { page: id, ...(thing ? { thing } : {}) },
  });

/** An address that stands for another one. */
const forward = (path: string, to: string) =>
  createRoute({
    getParentRoute: () => guarded,
    path,
    beforeLoad: () => {
      throw redirect({ to, replace: true });
    },
  });

const guardedRoutes = [
  forward('/', paths.overview()),
  forward('/dashboard', paths.overview()),
  page(
    '/dashboard/overview',
    'overview',
    lazyPage(() => import('./overview-route.tsx'), 'Overview'),
  ),
  page(
    '/dashboard/nodes',
    'nodes',
    lazyPage(() => import('./features/dashboard/NodesPage.tsx'), 'NodesPage'),
  ),
  page(
    '/dashboard/nodes/$node',
    'nodes',
    lazyPage(() => import('./features/dashboard/NodePage.tsx'), 'NodePage'),
    'node',
  ),
  page(
    '/dashboard/metrics',
    'metrics',
    lazyPage(() => import('./features/dashboard/MetricsPage.tsx'), 'MetricsPage'),
  ),

  forward('/alarm', paths.currentAlarms()),
  page(
    '/alarm/current-alarm',
    'alarms',
    lazyPage(() => import('./features/alarms/AlarmsPage.tsx'), 'CurrentAlarmsPage'),
  ),
  page(
    '/alarm/history-alarm',
    'historyAlarms',
    lazyPage(() => import('./features/alarms/AlarmsPage.tsx'), 'HistoryAlarmsPage'),
  ),

  page(
    '/connections',
    'clients',
    lazyPage(() => import('./features/clients/ClientsPage.tsx'), 'ClientsPage'),
  ),
  page(
    '/connections/detail/$clientid',
    'clients',
    lazyPage(() => import('./features/clients/ClientPage.tsx'), 'ClientPage'),
    'clientid',
  ),

  forward('/subscriptions', paths.subscriptions()),
  page(
    '/subscriptions/subscription',
    'subscriptions',
    lazyPage(() => import('./features/subscriptions/SubscriptionsPage.tsx'), 'SubscriptionsPage'),
  ),
  page(
    '/subscriptions/topics',
    'topics',
    lazyPage(() => import('./features/subscriptions/TopicsPage.tsx'), 'TopicsPage'),
  ),

  page(
    '/retained',
    'retained',
    lazyPage(() => import('./features/retainer/RetainedMessagesPage.tsx'), 'RetainedMessagesPage'),
  ),
  page(
    '/users',
    'users',
    lazyPage(() => import('./features/users/UsersPage.tsx'), 'UsersPage'),
  ),
  page(
    '/blacklist',
    'banned',
    lazyPage(() => import('./features/banned/BlacklistPage.tsx'), 'BlacklistPage'),
  ),

  page(
    '/authentication',
    'authentication',
    lazyPage(() => import('./features/authentication/AuthenticationPage.tsx'), 'AuthenticationPage'),
  ),
  page(
    '/authentication/create',
    'authentication',
    lazyPage(
      () => import('./features/authentication/AuthenticationCreatePage.tsx'),
      'AuthenticationCreatePage',
    ),
  ),
  page(
    '/authentication/detail/$id',
    'authentication',
    lazyPage(() => import('./features/authentication/AuthenticatorPage.tsx'), 'AuthenticatorPage'),
    'id',
  ),
  page(
    '/authorization',
    'authorization',
    lazyPage(() => import('./features/authorization/AuthorizationPage.tsx'), 'AuthorizationPage'),
  ),
  page(
    '/authorization/create',
    'authorization',
    lazyPage(() => import('./features/authorization/AuthorizationCreatePage.tsx'), 'AuthorizationCreatePage'),
  ),
  page(
    '/authorization/test',
    'authorization',
    lazyPage(() => import('./features/access/AccessTestPage.tsx'), 'AccessTestPage'),
  ),
  page(
    '/authorization/detail/$type',
    'authorization',
    lazyPage(() => import('./features/authorization/SourcePage.tsx'), 'SourcePage'),
    'type',
  ),

  page(
    '/gateway',
    'gateways',
    lazyPage(() => import('./features/gateways/GatewaysPage.tsx'), 'GatewaysPage'),
  ),
  page(
    '/gateway/create/$name',
    'gateways',
    lazyPage(() => import('./features/gateways/GatewayCreatePage.tsx'), 'GatewayCreatePage'),
    'name',
  ),
  page(
    '/gateway/detail/$name/settings',
    'gateways',
    lazyPage(() => import('./features/gateways/GatewayPage.tsx'), 'GatewaySettingsPage'),
    'name',
  ),
  page(
    '/gateway/detail/$name/listeners',
    'gateways',
    lazyPage(() => import('./features/gateways/GatewayPage.tsx'), 'GatewayListenersPage'),
    'name',
  ),
  page(
    '/gateway/detail/$name/auth',
    'gateways',
    lazyPage(() => import('./gateway-auth-route.tsx'), 'GatewayAuthPage'),
    'name',
  ),
  page(
    '/gateway/detail/$name/connections',
    'gateways',
    lazyPage(() => import('./features/gateways/GatewayPage.tsx'), 'GatewayConnectionsPage'),
    'name',
  ),

  page(
    '/APIKey',
    'apiKeys',
    lazyPage(() => import('./features/api-keys/ApiKeysPage.tsx'), 'ApiKeysPage'),
  ),
  page(
    '/plugins',
    'plugins',
    lazyPage(() => import('./features/plugins/PluginsPage.tsx'), 'PluginsPage'),
  ),
  page(
    '/plugins/install',
    'plugins',
    lazyPage(() => import('./features/plugins/PluginInstallPage.tsx'), 'PluginInstallPage'),
  ),
  page(
    '/plugins/detail/$plugin',
    'plugins',
    lazyPage(() => import('./features/plugins/PluginPage.tsx'), 'PluginPage'),
    'plugin',
  ),
  page(
    '/exhook',
    'exhooks',
    lazyPage(() => import('./features/exhook/ExhooksPage.tsx'), 'ExhooksPage'),
  ),
  page(
    '/exhook/create',
    'exhooks',
    lazyPage(() => import('./features/exhook/ExhookCreatePage.tsx'), 'ExhookCreatePage'),
  ),
  page(
    '/exhook/detail/$name',
    'exhooks',
    lazyPage(() => import('./features/exhook/ExhookPage.tsx'), 'ExhookPage'),
    'name',
  ),

  page(
    '/rules',
    'rules',
    lazyPage(() => import('./features/rules/RulesPage.tsx'), 'RulesPage'),
  ),
  forward('/rules/create', paths.ruleCreate()),
  page(
    '/rules/create/form',
    'rules',
    lazyPage(() => import('./features/rules/RuleCreatePage.tsx'), 'RuleCreatePage'),
  ),
  page(
    '/rules/detail/$id/info',
    'rules',
    lazyPage(() => import('./features/rules/RulePage.tsx'), 'RuleInfoPage'),
    'id',
  ),
  page(
    '/rules/detail/$id/bridge',
    'rules',
    lazyPage(() => import('./features/rules/RulePage.tsx'), 'RuleBridgePage'),
    'id',
  ),
  forward('/bridge', paths.bridges()),
  page(
    '/bridge/dataBridge',
    'bridges',
    lazyPage(() => import('./features/bridges/BridgesPage.tsx'), 'BridgesPage'),
  ),
  page(
    '/bridge/dataBridge/create',
    'bridges',
    lazyPage(() => import('./features/bridges/BridgeCreatePage.tsx'), 'BridgeCreatePage'),
  ),
  page(
    '/bridge/dataBridge/detail/$id',
    'bridges',
    lazyPage(() => import('./features/bridges/BridgePage.tsx'), 'BridgePage'),
    'id',
  ),
  page(
    '/flow',
    'flow',
    lazyPage(() => import('./features/flow/FlowPage.tsx'), 'FlowPage'),
  ),

  page(
    '/listener',
    'listeners',
    lazyPage(() => import('./features/listeners/ListenersPage.tsx'), 'ListenersPage'),
  ),
  page(
    '/listener/detail/$listener/authentication',
    'listeners',
    lazyPage(
      () => import('./features/authentication/ListenerAuthentication.tsx'),
      'ListenerAuthenticationPage',
    ),
    'listener',
  ),
  page(
    '/listener/detail/$listener/authentication/create',
    'listeners',
    lazyPage(
      () => import('./features/authentication/ListenerAuthentication.tsx'),
      'ListenerAuthenticationCreatePage',
    ),
    'listener',
  ),
  page(
    '/listener/detail/$listener/authentication/detail/$id',
    'listeners',
    lazyPage(
      () => import('./features/authentication/ListenerAuthentication.tsx'),
      'ListenerAuthenticatorPage',
    ),
    'listener',
  ),
  forward('/mqtt', paths.mqtt()),
  page(
    '/mqtt/general',
    'mqttGeneral',
    lazyPage(() => import('./features/mqtt-settings/MqttGeneralPage.tsx'), 'MqttGeneralPage'),
  ),
  page(
    '/mqtt/session',
    'mqttSession',
    lazyPage(() => import('./features/mqtt-settings/MqttSessionPage.tsx'), 'MqttSessionPage'),
  ),
  page(
    '/mqtt/retainer',
    'retainer',
    lazyPage(() => import('./features/retainer/RetainerSettingsPage.tsx'), 'RetainerSettingsPage'),
  ),
  page(
    '/mqtt/system-topic',
    'systemTopics',
    lazyPage(() => import('./features/sys-topics/SystemTopicsPage.tsx'), 'SystemTopicsPage'),
  ),
  page(
    '/mqtt/extension',
    'mqttExtension',
    lazyPage(() => import('./features/mqtt-extension/MqttExtensionPage.tsx'), 'MqttExtensionPage'),
  ),
  page(
    '/log',
    'log',
    lazyPage(() => import('./features/log/LogPage.tsx'), 'LogPage'),
  ),
  page(
    '/limiter',
    'limiter',
    lazyPage(() => import('./features/limiter/LimiterPage.tsx'), 'LimiterPage'),
  ),
  forward('/monitoring', paths.monitoring()),
  page(
    '/monitoring/alarm-settings',
    'monitoring',
    lazyPage(() => import('./features/monitoring/AlarmSettingsPage.tsx'), 'AlarmSettingsPage'),
  ),
  page(
    '/monitoring/integration',
    'monitoringIntegration',
    lazyPage(
      () => import('./features/monitoring/MonitoringIntegrationPage.tsx'),
      'MonitoringIntegrationPage',
    ),
  ),

  forward('/websocket', paths.websocketClient()),
  page(
    '/websocket/client',
    'websocketClient',
    lazyPage(() => import('./features/websocket-client/WebsocketClientPage.tsx'), 'WebsocketClientPage'),
  ),
  page(
    '/delivery',
    'delivery',
    lazyPage(() => import('./features/delivery/DeliveryPage.tsx'), 'DeliveryPage'),
  ),
  page(
    '/topics',
    'topicExplorer',
    lazyPage(() => import('./features/topic-explorer/TopicExplorerPage.tsx'), 'TopicExplorerPage'),
  ),
  page(
    '/topic-metrics',
    'topicMetrics',
    lazyPage(() => import('./features/topic-metrics/TopicMetricsPage.tsx'), 'TopicMetricsPage'),
  ),
  page(
    '/slow-sub',
    'slowSubscriptions',
    lazyPage(
      () => import('./features/slow-subscriptions/SlowSubscriptionsPage.tsx'),
      'SlowSubscriptionsPage',
    ),
  ),
  page(
    '/slow-sub/config',
    'slowSubscriptions',
    lazyPage(
      () => import('./features/slow-subscriptions/SlowSubscriptionsConfigPage.tsx'),
      'SlowSubscriptionsConfigPage',
    ),
  ),
  page(
    '/log-trace',
    'logTraces',
    lazyPage(() => import('./features/trace/TracesPage.tsx'), 'TracesPage'),
  ),
  page(
    '/log-trace/detail/$id',
    'logTraces',
    lazyPage(() => import('./features/trace/TracePage.tsx'), 'TracePage'),
    'id',
  ),
  page(
    '/audit',
    'audit',
    lazyPage(() => import('./features/audit/AuditPage.tsx'), 'AuditPage'),
  ),
  page(
    '/backup',
    'backup',
    lazyPage(() => import('./features/backup/BackupPage.tsx'), 'BackupPage'),
  ),

  page(
    '/settings',
    'settings',
    lazyPage(() => import('./features/settings/SettingsPage.tsx'), 'SettingsPage'),
  ),
];

const help = createRoute({
  getParentRoute: () => shell,
  path: '/help',
  component: lazyPage(() => import('./features/help/HelpPage.tsx'), 'HelpPage'),
  staticData: { page: 'help' },
});

const gallery = createRoute({
  getParentRoute: () => shell,
  path: '/__gallery',
  component: lazyPage(() => import('./features/gallery/GalleryPage.tsx'), 'GalleryPage'),
});

const notFound = createRoute({
  getParentRoute: () => shell,
  path: '/$',
  component: lazyPage(() => import('./shell/NotFoundPage.tsx'), 'NotFoundPage'),
});

export const routeTree = root.addChildren([
  login,
  shell.addChildren([guarded.addChildren(guardedRoutes), help, gallery, notFound]),
]);
