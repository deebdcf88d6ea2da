import { paths } from '../paths.ts';
import {
  IconAlarm,
  IconApiKey,
  IconAudit,
  IconBackup,
  IconBan,
  IconBridge,
  IconConnections,
  IconDiagnose,
  IconFlow,
  IconGateway,
  IconHelp,
  IconHook,
  IconIntegration,
  IconKey,
  IconLimiter,
  IconListener,
  IconLog,
  IconManagement,
  IconMonitoring,
  IconMqtt,
  IconNode,
  IconOverview,
  IconPlugin,
  type IconProps,
  IconRetained,
  IconRoute,
  IconRules,
  IconSettings,
  IconShield,
  IconSlow,
  IconSubscriptions,
  IconSystem,
  IconTerminal,
  IconTopic,
  IconTrace,
  IconTree,
  IconUsers,
} from '../ui/icons.tsx';
import type { PageId } from './page-words.ts';

export type Icon = (props: IconProps) => React.ReactNode;
export type GroupId = 'monitor' | 'access' | 'integration' | 'management' | 'diagnose' | 'system';

export interface MenuPage {
  id: PageId;
  path: string;
  icon: Icon;
  /** Keys of the jump `g` + letter; none for rare pages. */
  jump?: string;
}

export interface MenuGroup {
  id: GroupId;
  icon: Icon;
  pages: readonly MenuPage[];
}

/** The left bar, in its order. */
export const menu: readonly MenuGroup[] = [
  {
    id: 'monitor',
    icon: IconOverview,
    pages: [
      { id: 'overview', path: paths.overview(), icon: IconOverview, jump: 'o' },
      { id: 'clients', path: paths.clients(), icon: IconConnections, jump: 'c' },
      { id: 'subscriptions', path: paths.subscriptions(), icon: IconSubscriptions, jump: 's' },
      { id: 'retained', path: paths.retained(), icon: IconRetained, jump: 'r' },
      { id: 'alarms', path: paths.currentAlarms(), icon: IconAlarm, jump: 'a' },
    ],
  },
  {
    id: 'access',
    icon: IconShield,
    pages: [
      { id: 'authentication', path: paths.authentication(), icon: IconKey },
      { id: 'authorization', path: paths.authorization(), icon: IconShield },
      { id: 'banned', path: paths.banned(), icon: IconBan, jump: 'b' },
    ],
  },
  {
    id: 'integration',
    icon: IconIntegration,
    pages: [
      { id: 'rules', path: paths.rules(), icon: IconRules, jump: 'u' },
      { id: 'bridges', path: paths.bridges(), icon: IconBridge, jump: 'd' },
      { id: 'flow', path: paths.flow(), icon: IconFlow },
    ],
  },
  {
    id: 'management',
    icon: IconManagement,
    pages: [
      { id: 'listeners', path: paths.listeners(), icon: IconListener, jump: 'l' },
      { id: 'mqtt', path: paths.mqtt(), icon: IconMqtt, jump: 'm' },
      { id: 'limiter', path: paths.limiter(), icon: IconLimiter },
      { id: 'log', path: paths.log(), icon: IconLog },
      { id: 'monitoring', path: paths.monitoring(), icon: IconMonitoring },
      { id: 'gateways', path: paths.gateways(), icon: IconGateway },
      { id: 'exhooks', path: paths.exhooks(), icon: IconHook },
      { id: 'plugins', path: paths.plugins(), icon: IconPlugin },
    ],
  },
  {
    id: 'diagnose',
    icon: IconDiagnose,
    pages: [
      { id: 'websocketClient', path: paths.websocketClient(), icon: IconTerminal, jump: 'w' },
      { id: 'delivery', path: paths.delivery(), icon: IconRoute, jump: 'y' },
      { id: 'topicExplorer', path: paths.topicExplorer(), icon: IconTree, jump: 'e' },
      { id: 'topicMetrics', path: paths.topicMetrics(), icon: IconTopic },
      { id: 'slowSubscriptions', path: paths.slowSubscriptions(), icon: IconSlow },
      { id: 'logTraces', path: paths.logTraces(), icon: IconTrace, jump: 't' },
    ],
  },
  {
    id: 'system',
    icon: IconSystem,
    pages: [
      { id: 'users', path: paths.users(), icon: IconUsers },
      { id: 'apiKeys', path: paths.apiKeys(), icon: IconApiKey },
      { id: 'audit', path: paths.audit(), icon: IconAudit },
      { id: 'backup', path: paths.backup(), icon: IconBackup },
      { id: 'settings', path: paths.settings(), icon: IconSettings },
      { id: 'help', path: paths.help(), icon: IconHelp },
    ],
  },
];

/** Pages that another page's tabs lead to: not in the bar, but found by the palette. */
const furtherPages: readonly MenuPage[] = [
  { id: 'nodes', path: paths.nodes(), icon: IconNode, jump: 'n' },
  { id: 'metrics', path: paths.metrics(), icon: IconMonitoring },
  { id: 'topics', path: paths.topics(), icon: IconTopic },
  { id: 'historyAlarms', path: paths.historyAlarms(), icon: IconAlarm },
  { id: 'mqttGeneral', path: paths.mqtt('general'), icon: IconMqtt },
  { id: 'mqttSession', path: paths.mqtt('session'), icon: IconMqtt },
  { id: 'retainer', path: paths.mqtt('retainer'), icon: IconRetained },
  { id: 'systemTopics', path: paths.mqtt('system-topic'), icon: IconMqtt },
  { id: 'mqttExtension', path: paths.mqtt('extension'), icon: IconMqtt },
  { id: 'monitoringIntegration', path: paths.monitoring('integration'), icon: IconMonitoring },
];

export const allPages: readonly MenuPage[] = [...menu.flatMap(({ pages }) => pages), ...furtherPages];

/** Where `g` and a letter lead. */
export const jumps = allPages.flatMap(({ id, path, jump }) =>
  jump === undefined ? [] : [{ id, path, jump }],
);

/** Pages shown as tabs of one another mark the same entry of the bar. */
const entryOf: Partial<Record<PageId, PageId>> = {
  nodes: 'overview',
  metrics: 'overview',
  topics: 'subscriptions',
  historyAlarms: 'alarms',
  mqttGeneral: 'mqtt',
  mqttSession: 'mqtt',
  retainer: 'mqtt',
  systemTopics: 'mqtt',
  mqttExtension: 'mqtt',
  monitoringIntegration: 'monitoring',
};
export const menuEntryOf = (id: PageId): PageId => entryOf[id] ?? id;

export const groupOf = (id: PageId): MenuGroup | undefined =>
  menu.find(({ pages }) => pages.some((page) => page.id === menuEntryOf(id)));
