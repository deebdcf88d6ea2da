import { expect, test } from 'vitest';
import { idOf, paths, segmentOf } from './paths.ts';

test('every address of the console', () => {
  const all = Object.fromEntries(
    Object.entries(paths).map(([name, path]) => [name, (path as (id: string) => string)('general')]),
  );
  expect(all).toMatchInlineSnapshot(`
    {
      "accessTest": "/authorization/test",
      "apiKeys": "/APIKey",
      "audit": "/audit",
      "authentication": "/authentication",
      "authenticationCreate": "/authentication/create",
      "authenticator": "/authentication/detail/general",
      "authorization": "/authorization",
      "authorizationCreate": "/authorization/create",
      "authorizationSource": "/authorization/detail/general",
      "backup": "/backup",
      "ban": "/blacklist?ban=general&who=",
      "banned": "/blacklist",
      "bridge": "/bridge/dataBridge/detail/general",
      "bridgeCreate": "/bridge/dataBridge/create",
      "bridges": "/bridge/dataBridge",
      "client": "/connections/detail/general",
      "clientTimeline": "/connections/detail/general?tab=timeline",
      "clients": "/connections",
      "currentAlarms": "/alarm/current-alarm",
      "delivery": "/delivery",
      "exhook": "/exhook/detail/general",
      "exhookCreate": "/exhook/create",
      "exhooks": "/exhook",
      "flapping": "/blacklist?tab=flapping",
      "flow": "/flow",
      "gallery": "/__gallery",
      "gateway": "/gateway/detail/general/settings",
      "gatewayCreate": "/gateway/create/general",
      "gateways": "/gateway",
      "help": "/help",
      "historyAlarms": "/alarm/history-alarm",
      "home": "/",
      "limiter": "/limiter",
      "listener": "/listener?open=general",
      "listenerAuthentication": "/listener/detail/general/authentication",
      "listenerAuthenticationCreate": "/listener/detail/general/authentication/create",
      "listenerAuthenticator": "/listener/detail/general/authentication/detail/undefined",
      "listeners": "/listener",
      "log": "/log",
      "logTrace": "/log-trace/detail/general",
      "logTraceCreate": "/log-trace?create=general%3A",
      "logTraces": "/log-trace",
      "login": "/login?to=general",
      "metrics": "/dashboard/metrics",
      "monitoring": "/monitoring/general",
      "mqtt": "/mqtt/general",
      "node": "/dashboard/nodes/general",
      "nodes": "/dashboard/nodes",
      "overview": "/dashboard/overview",
      "ownPassword": "/users?password=own",
      "plugin": "/plugins/detail/general",
      "pluginInstall": "/plugins/install",
      "plugins": "/plugins",
      "refusedConnections": "/blacklist?tab=refused",
      "retained": "/retained",
      "rule": "/rules/detail/general/info",
      "ruleCreate": "/rules/create/form",
      "rules": "/rules",
      "settings": "/settings",
      "slowSubscriptions": "/slow-sub",
      "slowSubscriptionsConfig": "/slow-sub/config",
      "subscriptions": "/subscriptions/subscription",
      "topicExplorer": "/topics?topic=general",
      "topicMetrics": "/topic-metrics",
      "topics": "/subscriptions/topics",
      "users": "/users",
      "websocketClient": "/websocket/client",
    }
  `);
});

test.each([
  'a/b',
  '#',
  '?',
  '%',
  '%2F',
  ' ',
  '+',
  '&=;',
  '客户端',
  '😀',
  '.',
  '..',
  '...',
  '~',
  '~~',
  '',
  'a\\b',
  '\n',
])('the id %j is one segment, and is found again', (id) => {
  const url = new URL(paths.client(id), 'http://console.test');
  const segments = url.pathname.split('/');
  expect(segments).toHaveLength(4);
  expect(idOf(decodeURIComponent(segments[3]!))).toBe(id);
  expect(url.search + url.hash).toBe('');
});

test('no two ids share a segment', () => {
  const ids = ['', '~', '~~', '.', '~.', '..', '~..', '%2E'];
  expect(new Set(ids.map(segmentOf)).size).toBe(ids.length);
});
