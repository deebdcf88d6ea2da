import { mkdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { api } from '@mqdeck/contract/api';
import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import { parseDuration } from '@mqdeck/contract/kit/values';
import { DEFAULT_USER } from '@mqdeck/contract/users';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { type OutboundOptions, OutboundPolicy } from './backends/outbound.ts';
import { type Core, type Log, startCore } from './core/core.ts';
import { type Certificates, openCertificates } from './core/listeners/certificates.ts';
import { mqttUpgrades } from './core/listeners/websocket.ts';
import { openStore } from './core/store/environment.ts';
import { memoryStore } from './core/store/memory-store.ts';
import type { Store } from './core/store/store.ts';
import { type Deciders, explainMay } from './features/access/access.ts';
import { accessApi } from './features/access/api.ts';
import { Alarms } from './features/alarms/alarms.ts';
import { alarmsApi } from './features/alarms/api.ts';
import { tellOfBridge } from './features/alarms/bridge-alarm.ts';
import { tellOfExhook } from './features/alarms/exhook-alarm.ts';
import { followLog } from './features/alarms/log-alarm.ts';
import { tellOwnTrouble } from './features/alarms/own-trouble.ts';
import { tellOfPlugin } from './features/alarms/plugin-alarm.ts';
import { followFeedingRules } from './features/alarms/rules-alarm.ts';
import { sysmonApi } from './features/alarms/settings-api.ts';
import { followStore } from './features/alarms/store-alarm.ts';
import { startSystemChecks } from './features/alarms/system-checks.ts';
import { apiKeysApi } from './features/api-keys/api.ts';
import { ApiKeys } from './features/api-keys/api-keys.ts';
import { apiKeysBacked } from './features/api-keys/backup.ts';
import { SECRET_COST } from './features/api-keys/secrets.ts';
import { auditApi } from './features/audit/api.ts';
import { AuditLog } from './features/audit/audit.ts';
import { auditRecorder, followSettings, recordCommand } from './features/audit/recording.ts';
import { authenticationApi, listenerAuthenticationApi } from './features/authentication/api.ts';
import { Authentication } from './features/authentication/authentication.ts';
import { Users as AuthnUsers, authenticators } from './features/authentication/authenticators.ts';
import { authnUsersBacked } from './features/authentication/backup.ts';
import { gatewayAuthenticationApi } from './features/authentication/gateway-api.ts';
import { authorizationApi } from './features/authorization/api.ts';
import { Authorization } from './features/authorization/authorization.ts';
import { authzRulesBacked } from './features/authorization/backup.ts';
import { BuiltInRules } from './features/authorization/built-in-rules.ts';
import { sources } from './features/authorization/sources.ts';
import { autoSubscribeApi } from './features/auto-subscribe/api.ts';
import { startAutoSubscribe } from './features/auto-subscribe/auto-subscribe.ts';
import { bannedApi, refusedConnectionsApi } from './features/banned/api.ts';
import { blacklistBacked } from './features/banned/backup.ts';
import { Blacklist } from './features/banned/banned.ts';
import { startFlappingDetection } from './features/banned/flapping.ts';
import { RefusedConnections } from './features/banned/refused.ts';
import { actionsApi, sourcesApi } from './features/bridges/actions-api.ts';
import { bridgesApi } from './features/bridges/api.ts';
import { Bridges } from './features/bridges/bridges.ts';
import { connectorsApi } from './features/bridges/connectors-api.ts';
import { clientEventsApi } from './features/client-events/api.ts';
import { ClientEvents } from './features/client-events/client-events.ts';
import { clientsApi } from './features/clients/api.ts';
import { clusterApi } from './features/cluster/api.ts';
import { configsApi } from './features/configs/api.ts';
import { dataApi } from './features/data/api.ts';
import { Backups } from './features/data/backups.ts';
import { delayedApi } from './features/delayed/api.ts';
import { DelayedPublish } from './features/delayed/delayed.ts';
import { DelayedStore } from './features/delayed/store.ts';
import { deliveryApi } from './features/delivery/api.ts';
import { errorCodesApi } from './features/error-codes/api.ts';
import { exhooksApi } from './features/exhook/api.ts';
import { Exhooks } from './features/exhook/exhook.ts';
import { entryOf, gatewaysApi, loaded } from './features/gateways/api.ts';
import { gatewayDevicesApi } from './features/gateways/devices-api.ts';
import { Gateways } from './features/gateways/gateways.ts';
import { licenseApi } from './features/license/api.ts';
import { Licensing } from './features/license/licensing.ts';
import { limiterApi } from './features/limiter/api.ts';
import { startLimiter } from './features/limiter/limiter.ts';
import { listenersApi } from './features/listeners/api.ts';
import { certificatesBacked } from './features/listeners/backup.ts';
import { Listeners } from './features/listeners/listeners.ts';
import { logApi } from './features/log/api.ts';
import { startClientLog } from './features/log/client-log.ts';
import { Logs } from './features/log/logs.ts';
import { loginApi } from './features/login/api.ts';
import { Attempts } from './features/login/attempts.ts';
import { authenticateWith } from './features/login/authenticate.ts';
import { createPasswords, hashQueue, isPasswordHash } from './features/login/passwords.ts';
import { Tokens } from './features/login/tokens.ts';
import { metricsApi } from './features/metrics/api.ts';
import { monitorApi } from './features/monitor/api.ts';
import { Monitor } from './features/monitor/monitor.ts';
import { nodesApi } from './features/nodes/api.ts';
import { pluginsApi } from './features/plugins/api.ts';
import { pluginsBacked } from './features/plugins/backup.ts';
import type { PluginLimits } from './features/plugins/plugin-thread.ts';
import { Plugins } from './features/plugins/plugins.ts';
import { prometheusApi } from './features/prometheus/api.ts';
import { type CertificateFact, figuresOf, prometheusText } from './features/prometheus/figures.ts';
import { startPush } from './features/prometheus/push.ts';
import { startStatsd } from './features/prometheus/statsd.ts';
import { publishApi } from './features/publish/api.ts';
import { retainerApi } from './features/retainer/api.ts';
import { retainedBacked } from './features/retainer/backup.ts';
import { RetainedClearing } from './features/retainer/clearing.ts';
import { followStorage, startRetainer } from './features/retainer/retainer.ts';
import { RetainedStore } from './features/retainer/store.ts';
import { rulesApi } from './features/rules/api.ts';
import { Rules } from './features/rules/rules.ts';
import { slowSubscriptionsApi } from './features/slow-subscriptions/api.ts';
import { SlowSubscriptions } from './features/slow-subscriptions/slow-subscriptions.ts';
import { statsApi } from './features/stats/api.ts';
import { statusApi } from './features/status/api.ts';
import { subscriptionsApi } from './features/subscriptions/api.ts';
import { sysTopicsApi } from './features/sys-topics/api.ts';
import { startSysTopics } from './features/sys-topics/sys-topics.ts';
import { telemetryApi } from './features/telemetry/api.ts';
import { topicExplorerApi } from './features/topic-explorer/api.ts';
import { TopicExplorer } from './features/topic-explorer/topic-explorer.ts';
import { topicMetricsApi } from './features/topic-metrics/api.ts';
import { TopicMetricsCounter } from './features/topic-metrics/topic-metrics.ts';
import { topicRewriteApi } from './features/topic-rewrite/api.ts';
import { startTopicRewrite, topicFor } from './features/topic-rewrite/topic-rewrite.ts';
import { topicsApi } from './features/topics/api.ts';
import { traceApi } from './features/trace/api.ts';
import { Traces } from './features/trace/traces.ts';
import { usersApi } from './features/users/api.ts';
import { usersBacked } from './features/users/backup.ts';
import { Users } from './features/users/users.ts';
import { zonesApi } from './features/zones/api.ts';
import { startZones } from './features/zones/zones.ts';
import { apiPlugin } from './http/api.ts';
import { type ApiDocument, apiDocument } from './http/documents.ts';
import { serve } from './http/serve.ts';
import { guardTargets } from './settings/outbound-guard.ts';
import { SettingsStore } from './settings/settings.ts';

export interface BrokerOptions {
  /** False: long turns of the event loop and the like are not told, on a machine whose pace is not the broker's own. */
  tellsOfItself?: boolean;
  /** Everything that lasts; null = in memory. */
  dataDir: string | null;
  host: string;
  tcp: number | 'off'; // 0 = any free port
  ws: number | 'off';
  ssl?: number | 'off'; // without it off, as wss
  wss?: number | 'off';
  /** Files in PEM form for ssl and wss; without them a certificate is made. */
  certificate?: { cert: string; key: string } | null;
  /** Of the first user, in a store without users; null = the password that everybody knows. */
  adminPassword?: string | null;
  version: string;
  /** What may be connected to; without it everything but link-local addresses and metadata services. */
  outbound?: OutboundOptions;
  edition?: 'opensource' | 'enterprise';
  /** Who issues licenses of the enterprise edition: an ed25519 public key in PEM form. */
  licenseIssuer?: string | null;
  /** A backup to restore before anybody can connect. */
  importFile?: string | null;
  /** What `importFile` is encrypted with. */
  importPassphrase?: string | null;
  nodeName?: string;
  /** Takes the lines of the log's console handler; without it there is no console. */
  console?: (line: string) => void;
  /** Takes everything that is to be logged, whatever the settings say; tests read it. */
  log?: Log;
  /** Rounds of the password hash; tests take few. */
  passwordCost?: number;
  /** So long after a failure a log file is tried again; tests wait less. */
  logRetryMs?: number;
  /** What a plugin may take; tests take little. */
  pluginLimits?: PluginLimits;
}

export interface Broker {
  core: Core;
  log: Logs;
  settings: SettingsStore;
  tokens: Tokens;
  /** Decides who may connect, and explains it. */
  authentication: Authentication;
  /** Keeps out who is banned, and explains it. */
  banned: Blacklist;
  authorization: Authorization;
  /** The REST API, to be registered below its base path on a server made with `routerOptions`. */
  api: FastifyPluginAsync;
  /** Makes the OpenAPI document of the API. */
  apiDocument(): Promise<ApiDocument>;
  /** MQTT over WebSocket on somebody else's port. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** The ports in use; null = not listening. */
  addresses: Record<'tcp' | 'ssl' | 'ws' | 'wss', number | null>;
  /** Of the TLS listeners; null when there are none. */
  certificates: Certificates | null;
  /** Whether the password that everybody knows still opens the door. */
  defaultPasswordInForce: boolean;
  close(): Promise<void>;
}

/** Starts MQTT, the features and their API. What was started before a failure is ended again. */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const { dataDir, version, nodeName = 'mqdeck@127.0.0.1', log } = options;
  if (dataDir !== null) mkdirSync(dataDir, { recursive: true });
  const settings = new SettingsStore(dataDir);
  const store = dataDir === null ? memoryStore() : openStore(dataDir);
  const logs = new Logs({
    folder: dataDir === null ? null : join(dataDir, 'log'),
    console: options.console,
    tee: log,
    retryMs: options.logRetryMs,
  });
  logs.follow(settings);
  const core = startCore({ node: nodeName, store, log: logs });

  let running = true;
  const ends: (() => unknown)[] = [() => logs.close(), () => store.close(), () => core.close()];
  const close = async () => {
    if (running) logs.write('notice', { node: nodeName }, 'the broker ends');
    running = false;
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const features = await startFeatures({
      options,
      core,
      store,
      settings,
      logs,
      isRunning: () => running,
      ends,
    });
    const { listeners } = features;
    await listeners.open();
    await features.gateways.open();
    logs.write('notice', { node: nodeName, version }, 'the broker is ready');
    const portOf = (id: string) => core.listeners.find((one) => one.id === id && one.running)?.port ?? null;
    const endpoints = Object.values(api)
      .flatMap((feature): Endpoint[] => Object.values(feature))
      .filter(({ edition }) => edition === undefined || edition === options.edition);
    return {
      core,
      log: logs,
      settings,
      tokens: features.tokens,
      authentication: features.authentication,
      banned: features.banned,
      authorization: features.authorization,
      api: apiPlugin({
        authenticate: authenticateWith(features),
        recorder: features.recorder,
        scrapeNeedsLogin: () => settings.get('prometheus').enable_basic_auth,
        endpoints,
        routes: features.routes,
      }),
      apiDocument: () => apiDocument(endpoints, version),
      handleUpgrade: mqttUpgrades(core),
      addresses: {
        tcp: portOf('tcp:default'),
        ssl: portOf('ssl:default'),
        ws: portOf('ws:default'),
        wss: portOf('wss:default'),
      },
      certificates: features.certificates.made,
      defaultPasswordInForce: features.defaultPasswordInForce,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface FeatureParts {
  options: BrokerOptions;
  core: Core;
  store: Store;
  settings: SettingsStore;
  logs: Logs;
  isRunning: () => boolean;
  /** What a feature has to end when the broker closes. */
  ends: (() => unknown)[];
}

/** Every feature gets what it needs, and one line for its API. */
async function startFeatures({ options, core, store, settings, logs, isRunning, ends }: FeatureParts) {
  const { dataDir, version, edition = 'opensource' } = options;
  const outbound = new OutboundPolicy(options.outbound ?? { mode: 'allow', allowed: [] });
  guardTargets(settings, outbound);
  const book = new AuditLog(store, () => settings.get('log').audit);
  ends.push(keepBook(book, settings, options));
  ends.push(startZones(core, settings));
  const hashing = hashQueue();
  const passwords = createPasswords(hashing, options.passwordCost);
  const tokens = new Tokens(store, () => parseDuration(settings.get('dashboard').token_expired_time) ?? 0);
  const users = new Users(store, passwords, (username) => tokens.removeAllOf(username));
  await users.ensureDefault(options.adminPassword ?? DEFAULT_USER.password);
  const keys = new ApiKeys(store, createPasswords(hashing, options.passwordCost ?? SECRET_COST));
  const monitor = new Monitor(core, store);
  ends.push(() => monitor.close());
  const alarms = new Alarms(store, core.node, Date.now, () => {
    const { size_limit, validity_period } = settings.get('alarm');
    return { max: size_limit, keptMs: parseDuration(validity_period)! };
  });
  const alarmGoes = (to: 'log' | 'publish') => settings.get('alarm').actions.includes(to);
  alarms.onChange((event, { name, message }) => {
    if (alarmGoes('log')) core.log.warn({ alarm: name, event }, message);
  });
  ends.push(startSystemChecks(core, alarms, settings));
  ends.push(startLimiter(core, settings, alarms));
  if (options.tellsOfItself !== false) ends.push(tellOwnTrouble(core, settings));
  followStore(alarms, store);
  followLog(alarms, logs);
  ends.push(startClientLog(core, logs));
  const clientEvents = new ClientEvents(core);
  ends.push(() => clientEvents.close());
  const retained = new RetainedStore(store, settings.get('retainer').backend.storage_type);
  ends.push(startRetainer(core, () => settings.get('retainer'), retained));
  ends.push(followStorage(core, settings, retained));
  const clearing = new RetainedClearing(retained, core.log);
  ends.push(() => clearing.close());
  const delayed = new DelayedPublish(core, () => settings.get('delayed'), new DelayedStore(store));
  ends.push(() => delayed.close());
  const certificates = ownCertificates(core, options);
  ends.push(() => certificates.close());
  const { host, tcp, ws, ssl = 'off', wss = 'off' } = options;
  const listeners = new Listeners({
    core,
    settings,
    alarms,
    options: { host, tcp, ws, ssl, wss },
    dataDir,
    sharedCertificates: () => certificates.get(),
    forgetAuthentication: (id) => authentication.forgetListener(id),
  });
  ends.push(() => listeners.close());
  const figures = () => figuresOf(core, certificateFacts(listeners));
  ends.push(startPush({ core, settings, outbound, text: () => prometheusText(figures()) }));
  ends.push(startStatsd({ core, settings, outbound, figures }));
  ends.push(startTopicRewrite(core, settings));
  const slow = new SlowSubscriptions(core, settings);
  ends.push(() => slow.close());
  const explorer = new TopicExplorer(core);
  ends.push(() => explorer.close());
  const topicMetrics = new TopicMetricsCounter(core, settings);
  ends.push(() => topicMetrics.close());
  ends.push(startAutoSubscribe(core, settings));
  ends.push(
    startSysTopics(core, {
      settings,
      version,
      onAlarm: (tell) => alarms.onChange((event, alarm) => alarmGoes('publish') && tell(event, alarm)),
    }),
  );
  const tellOfFeeding = followFeedingRules(alarms, core.timers);
  const bridges = new Bridges({
    core,
    settings,
    store,
    outbound,
    onTrouble: (id, reason) => tellOfBridge(alarms, id, reason),
    onLoop: (id) => tellOfFeeding([`bridge ${id}`]),
    inputs: () => rules,
  });
  ends.push(() => bridges.close());
  const rules: Rules = new Rules({
    core,
    settings,
    bridges,
    print: options.console ?? (() => undefined),
    onAlarm: (tell) => alarms.onChange(tell),
    onTooMany: tellOfFeeding,
  });
  ends.push(() => rules.close());
  const traces = new Traces({
    core,
    store,
    folder: dataDir === null ? null : join(dataDir, 'trace'),
    watchRules: (tell) => rules.watch(tell),
  });
  ends.push(() => traces.close());
  await traces.open();
  const authnUsers = new AuthnUsers(store);
  const authentication = new Authentication(
    core,
    settings,
    authenticators(authnUsers, { log: core.log, outbound }),
    (chain, id) => authnUsers.forget(chain, id),
  );
  ends.push(() => authentication.close());
  const gateways = new Gateways({
    core,
    settings,
    alarms,
    host,
    dataDir,
    outbound,
    sharedCertificates: () => certificates.get(),
    addAuthenticator: (chain, config) =>
      authentication.change(chain, (its) => void (its.size === 0 && its.add(config))),
    forgetAuthentication: (chain) => authentication.forgetListener(chain),
  });
  ends.push(() => gateways.close());
  const authzRules = new BuiltInRules(store);
  const authorization = new Authorization(core, settings, sources(authzRules, { log: core.log, outbound }));
  ends.push(() => authorization.close());
  const authn = { core, users: authnUsers };
  const exhooks = new Exhooks({
    core,
    store,
    settings,
    outbound,
    version,
    onTrouble: (name, reason, refused) => tellOfExhook(alarms, name, reason, refused),
  });
  ends.push(() => exhooks.close());
  await exhooks.open();
  const plugins = new Plugins({
    core,
    settings,
    version,
    folder: dataDir === null ? null : join(dataDir, 'plugins'),
    onTrouble: (id, reason) => tellOfPlugin(alarms, id, reason),
    ...(options.pluginLimits && { limits: options.pluginLimits }),
  });
  ends.push(() => plugins.close());
  const blacklist = new Blacklist(core, store);
  ends.push(() => blacklist.close());
  ends.push(startFlappingDetection(core, settings, blacklist));
  const refused = new RefusedConnections(core);
  ends.push(() => refused.close());
  const licensing =
    edition === 'enterprise'
      ? new Licensing({ core, store, settings, alarms, issuer: options.licenseIssuer ?? null })
      : null;
  ends.push(() => licensing?.close());
  ends.push(
    settings.onChange('delayed', () => {
      delayed
        .settingsChanged()
        .catch((err: unknown) => core.log.error({ err }, 'delayed messages could not be deleted'));
    }),
  );
  const backups = new Backups({
    folder: dataDir === null ? null : join(dataDir, 'backup'),
    store,
    settings,
    kinds: [
      certificatesBacked(dataDir),
      usersBacked(users, isPasswordHash),
      apiKeysBacked(keys, isPasswordHash),
      blacklistBacked(blacklist),
      authnUsersBacked(authnUsers),
      authzRulesBacked(authzRules, () => authorization.forget()),
      retainedBacked(retained),
      pluginsBacked(plugins),
    ],
    node: core.node,
    version,
    log: core.log,
  });
  ends.push(() => backups.close());
  if (options.importFile) await backups.importFile(options.importFile, options.importPassphrase ?? null);
  await plugins.open();
  const login = {
    tokens,
    checkPassword: (username: string, password: string) => users.checkPassword(username, password),
    attempts: new Attempts(hashing),
    version,
    edition,
    settings,
  };
  return {
    recorder: auditRecorder(
      book,
      () => settings.get('log').audit,
      (apiKey) => keys.nameOf(apiKey),
    ),
    tokens,
    keys,
    keyAttempts: new Attempts(hashing),
    authentication,
    banned: blacklist,
    authorization,
    listeners,
    gateways,
    certificates,
    defaultPasswordInForce: await users.checkPassword(DEFAULT_USER.username, DEFAULT_USER.password),
    routes(app: FastifyInstance): void {
      serve(app, api.login, loginApi(login));
      serve(app, api.users, usersApi(users, new Attempts(hashing)));
      serve(app, api.apiKeys, apiKeysApi(keys));
      serve(app, api.status, statusApi({ node: core.node, version, isRunning }));
      serve(app, api.errors, errorCodesApi);
      serve(app, api.nodes, nodesApi(core, { version, edition, dataDir }));
      serve(app, api.cluster, clusterApi(core));
      serve(app, api.stats, statsApi(core));
      serve(app, api.metrics, metricsApi(core));
      serve(app, api.monitor, monitorApi(monitor, core.node));
      serve(app, api.clients, clientsApi(core));
      serve(app, api.clientEvents, clientEventsApi(core, clientEvents));
      serve(app, api.subscriptions, subscriptionsApi(core));
      serve(app, api.topics, topicsApi(core));
      serve(app, api.publish, publishApi(core));
      serve(app, api.retainer, retainerApi(settings, retained, clearing));
      serve(app, api.delayed, delayedApi(delayed, settings, core.node));
      serve(app, api.topicMetrics, topicMetricsApi(topicMetrics));
      serve(
        app,
        api.topicExplorer,
        topicExplorerApi(explorer, (topic) => retained.get(topic) !== undefined),
      );
      serve(app, api.slowSubscriptions, slowSubscriptionsApi(slow, settings, core.node));
      serve(app, api.traces, traceApi(traces, core.node));
      serve(app, api.topicRewrite, topicRewriteApi(settings));
      serve(app, api.autoSubscribe, autoSubscribeApi(settings));
      serve(app, api.sysTopics, sysTopicsApi(settings));
      serve(app, api.alarms, alarmsApi(alarms));
      serve(app, api.prometheus, prometheusApi({ settings, outbound, figures }, core.node));
      serve(app, api.sysmon, sysmonApi(settings));
      serve(app, api.limiter, limiterApi(core, settings));
      serve(app, api.log, logApi(logs, settings));
      serve(app, api.audit, auditApi(book, core.node));
      serve(app, api.banned, bannedApi(blacklist));
      serve(app, api.refusedConnections, refusedConnectionsApi(refused, blacklist));
      serve(app, api.configs, configsApi(settings, core.node));
      serve(app, api.zones, zonesApi(settings));
      serve(app, api.data, dataApi(backups, core.node));
      serve(
        app,
        api.bridges,
        bridgesApi(bridges, () => rules, core),
      );
      serve(app, api.connectors, connectorsApi(bridges, core));
      const bridgeParts = { all: bridges, rules: () => rules, core };
      serve(app, api.actions, actionsApi(bridgeParts));
      serve(app, api.sources, sourcesApi(bridgeParts));
      serve(app, api.rules, rulesApi(rules, settings, core));
      serve(app, api.exhooks, exhooksApi(exhooks, core.node));
      serve(app, api.plugins, pluginsApi(plugins, core.node));
      serve(app, api.telemetry, telemetryApi({ core, store, settings, version, edition }));
      if (licensing) serve(app, api.license, licenseApi(licensing, settings));
      serve(app, api.listeners, listenersApi(listeners, core.node));
      serve(app, api.authentication, authenticationApi(authentication, authn));
      serve(app, api.listenerAuthentication, listenerAuthenticationApi(authentication, authn));
      serve(app, api.gateways, gatewaysApi(gateways, core.node));
      serve(app, api.gatewayDevices, gatewayDevicesApi(core));
      serve(
        app,
        api.gatewayAuthentication,
        gatewayAuthenticationApi(
          authentication,
          authn,
          ({ name = '' }) => `${loaded(gateways, name).name}:global`,
        ),
      );
      serve(
        app,
        api.gatewayListenerAuthentication,
        gatewayAuthenticationApi(
          authentication,
          authn,
          ({ name = '', id = '' }) => entryOf(loaded(gateways, name), id).id,
        ),
      );
      serve(app, api.authorization, authorizationApi(authorization, { core, rules: authzRules }));
      const deciders: Deciders = {
        registry: { find: (clientid) => core.registry.find(clientid) ?? core.findGuest(clientid) },
        zoneOf: (listener) =>
          core.listeners.some(({ id }) => id === listener) ? core.entrance(listener).zone : undefined,
        findBan: (names) => blacklist.explain(names),
        authenticate: (credentials) => listeners.explain(credentials) ?? authentication.explain(credentials),
        authorize: (who, request) => authorization.explain(who, request),
        settings: () => authorization.general,
      };
      serve(app, api.access, accessApi(deciders));
      serve(
        app,
        api.delivery,
        deliveryApi({
          core,
          access: (question) => explainMay(deciders, question),
          rewrite: (topic, names) => topicFor(settings.get('rewrite'), topic, names),
          delayed: () => settings.get('delayed'),
          extensions: (topic) => [
            ...exhooks.concerned(topic).map((server) => ({ ...server, kind: 'exhook' as const })),
            ...(core.hooks.used['message.publish'].some(({ owner }) => owner === 'plugins')
              ? [{ kind: 'plugins' as const, name: 'plugins', refuses: false }]
              : []),
          ],
          takeovers: (clientid, since) => clientEvents.takeovers(clientid, since),
        }),
      );
    },
  };
}

/** What the command line did stands in the book too. */
function keepBook(book: AuditLog, settings: SettingsStore, { importFile }: BrokerOptions): () => void {
  const unfollow = followSettings(book, settings);
  const note = (command: 'start' | 'stop' | 'import', args?: string[]) => {
    if (settings.get('log').audit.enable) recordCommand(book, command, args);
  };
  note('start');
  if (importFile) note('import', [importFile]);
  return () => {
    unfollow();
    note('stop');
    book.close();
  };
}

const certificateFacts = (listeners: Listeners): CertificateFact[] =>
  listeners
    .all()
    .flatMap(({ type, name, certificate }) =>
      certificate === null
        ? []
        : [{ listenerType: type, listenerName: name, expiresAt: Date.parse(certificate.not_after) }],
    );

/** The certificate of listeners that have none of their own: made, or read, when the first one asks. */
function ownCertificates({ log }: Core, { dataDir, host, certificate = null }: BrokerOptions) {
  let opening: Promise<Certificates> | null = null;
  const own = {
    made: null as Certificates | null,
    async get(): Promise<Certificates> {
      opening ??= openCertificates({
        folder: dataDir === null ? null : join(dataDir, 'certs'),
        host,
        log,
        files: certificate,
      });
      try {
        own.made = await opening;
      } catch (cause) {
        opening = null;
        throw cause;
      }
      return own.made;
    },
    close: () => own.made?.close(),
  };
  return own;
}
