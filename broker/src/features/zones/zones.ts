import { parseBytes, parseDuration } from '@mqdeck/contract/kit/values';
import { compileExpression } from '@mqdeck/contract/zone-expressions';
import type { ForceShutdown, MqttSettings, PeerCertPart } from '@mqdeck/contract/zones';
import type { Core } from '../../core/core.ts';
import type { ZoneSettings } from '../../core/settings.ts';
import type { SettingsStore } from '../../settings/settings.ts';

const SESSION_NEVER_EXPIRES_S = 0xffff_ffff;

/** Keeps the core to what is set for all clients and for those of each zone. The answer ends it. */
export function startZones(core: Core, settings: SettingsStore): () => void {
  let entered: string[] = [];

  function follow(): void {
    const [mqtt, shutdown] = [settings.get('mqtt'), settings.get('force_shutdown')];
    const zones = Object.entries(settings.get('zones'));
    Object.assign(core.settings, zoneSettings(mqtt, shutdown));
    core.setZone('default', null); // what was learnt under the old ones counts no more; a zone of that name follows below
    for (const [name, zone] of zones)
      core.setZone(name, zoneSettings(overlaid(mqtt, zone.mqtt), overlaid(shutdown, zone.force_shutdown)));
    for (const name of entered) if (!zones.some(([kept]) => kept === name)) core.setZone(name, null);
    entered = zones.map(([name]) => name);
  }

  follow();
  const ends = (['mqtt', 'force_shutdown', 'zones'] as const).map((section) =>
    settings.onChange(section, follow),
  );
  return () => {
    for (const end of ends) end();
  };
}

/** What a zone does not say, it takes from the global one. */
function overlaid<T extends object>(whole: T, own: { [K in keyof T]?: T[K] | undefined } = {}): T {
  const said = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...whole, ...Object.fromEntries(said) };
}

/** The words of the API in those of the core. */
function zoneSettings(mqtt: MqttSettings, shutdown: ForceShutdown): ZoneSettings {
  return {
    idleTimeoutMs: milliseconds(mqtt.idle_timeout),
    maxPacketBytes: bytes(mqtt.max_packet_size),
    maxClientidLength: mqtt.max_clientid_len,
    maxTopicLevels: mqtt.max_topic_levels,
    maxQosAllowed: mqtt.max_qos_allowed as 0 | 1 | 2,
    maxTopicAlias: mqtt.max_topic_alias,
    retainAvailable: mqtt.retain_available,
    wildcardSubscription: mqtt.wildcard_subscription,
    sharedSubscription: mqtt.shared_subscription,
    exclusiveSubscription: mqtt.exclusive_subscription,
    ignoreLoopDeliver: mqtt.ignore_loop_deliver,
    strictMode: mqtt.strict_mode,
    responseInformation: mqtt.response_information,
    serverKeepaliveS: mqtt.server_keepalive === 'disabled' ? null : mqtt.server_keepalive,
    keepaliveMultiplier: mqtt.keepalive_multiplier,
    keepaliveCheckMs: milliseconds(mqtt.keepalive_check_interval),
    maxSubscriptions: numberOf(mqtt.max_subscriptions),
    upgradeQos: mqtt.upgrade_qos,
    maxInflight: mqtt.max_inflight,
    retryIntervalMs: mqtt.retry_interval === 'infinity' ? 0 : milliseconds(mqtt.retry_interval),
    maxAwaitingRel: numberOf(mqtt.max_awaiting_rel),
    awaitRelTimeoutMs: milliseconds(mqtt.await_rel_timeout),
    sessionExpiryIntervalS: Math.min(
      Math.ceil(milliseconds(mqtt.session_expiry_interval) / 1000),
      SESSION_NEVER_EXPIRES_S,
    ),
    messageExpiryMs: milliseconds(mqtt.message_expiry_interval),
    maxMqueueLength: numberOf(mqtt.max_mqueue_len) || Number.POSITIVE_INFINITY,
    maxMqueueBytes: boundOf(shutdown, bytes(shutdown.max_heap_size)),
    maxHeld: boundOf(shutdown, shutdown.max_mailbox_size),
    mqueuePriorities:
      mqtt.mqueue_priorities === 'disabled' ? null : new Map(Object.entries(mqtt.mqueue_priorities)),
    mqueueDefaultPriority: mqtt.mqueue_default_priority,
    mqueueStoreQos0: mqtt.mqueue_store_qos0,
    useUsernameAsClientid: mqtt.use_username_as_clientid,
    peerCertAsUsername: partOf(mqtt.peer_cert_as_username),
    peerCertAsClientid: partOf(mqtt.peer_cert_as_clientid),
    clientAttributes: mqtt.client_attrs_init.map(({ expression, set_as_attr }) => ({
      name: set_as_attr,
      of: compiled(expression),
    })),
    clientidOverride: mqtt.clientid_override === 'disabled' ? null : compiled(mqtt.clientid_override),
    sharedSubscriptionStrategy: mqtt.shared_subscription_strategy,
    sharedSubscriptionInitialStickyPick: mqtt.shared_subscription_initial_sticky_pick,
  };
}

const numberOf = (value: number | 'infinity'): number =>
  value === 'infinity' ? Number.POSITIVE_INFINITY : value;

const milliseconds = (value: string | number): number =>
  value === 'infinity' ? Number.POSITIVE_INFINITY : parseDuration(value)!;

const bytes = (value: string | number): number => parseBytes(value)!;

const partOf = (part: PeerCertPart): Exclude<PeerCertPart, 'disabled'> | null =>
  part === 'disabled' ? null : part;

const boundOf = ({ enable }: ForceShutdown, bound: number): number =>
  enable && bound > 0 ? bound : Number.POSITIVE_INFINITY;

const compiled = (expression: string) => compileExpression(expression)!;
