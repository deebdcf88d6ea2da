import type { mqttShape } from '@mqdeck/contract/bridges/mqtt';
import { parseServer } from '@mqdeck/contract/kit/servers';
import { parseDuration } from '@mqdeck/contract/kit/values';
import type { Properties } from '@mqdeck/mqtt/packets';
import { template } from '@mqdeck/rulesql/template';
import { textOf, type Value } from '@mqdeck/rulesql/values';
import { type IClientOptions, type IPublishPacket, MqttClient } from 'mqtt';
import type * as z from 'zod/mini';
import { networkReason } from '../../../backends/reasons.ts';
import { tlsOptions } from '../../../backends/tls.ts';
import { payloadOf, propertiesOf } from '../../../resources/columns.ts';
import { DeliveryError, type Driver, type DriverContext, type Row } from '../../../resources/driver.ts';
import { spread } from './spread.ts';

export type MqttConfig = { [K in keyof typeof mqttShape]: z.output<(typeof mqttShape)[K]> };

const TOPIC_BYTES_MAX = 65_535;
const VERSIONS = { v3: 3, v4: 4, v5: 5 } as const;

/** Another broker: rows leave as messages, messages of its topics come in as rows. */
export function mqttDriver(config: MqttConfig, context: DriverContext): Driver {
  const { id, node, outbound, connecting, receive, broken } = context;
  const publish = config.egress ? publisherOf(config.egress.remote) : null;
  const connections = (wished = 1): number => (config.mode === 'cluster_singleton' ? 1 : wished);
  const fetching = connections(config.ingress?.pool_size);
  const sending = connections(config.egress?.pool_size);
  let clients: MqttClient[] = [];
  let open = false;

  function watch(client: MqttClient): void {
    client.on('close', () => {
      if (!open) return;
      open = false;
      broken('the other broker closed the connection');
    });
    client.on('message', (topic, payload, packet) => receive(rowOf(topic, payload, packet, config.server)));
  }

  async function connect(name: string, signal: AbortSignal): Promise<MqttClient> {
    const client = new MqttClient(
      () => {
        const socket = outbound.connect(targetOf(config));
        connecting(socket);
        return socket;
      },
      optionsOf(config, name),
    );
    clients.push(client);
    client.on('error', () => undefined); // 'close' follows
    const abort = () => client.end(true);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        client.once('connect', () => resolve());
        client.once('error', reject);
        client.once('close', () => reject(new Error('the connection was closed')));
      });
    } catch (cause) {
      throw new Error(explained(cause, config.server));
    } finally {
      signal.removeEventListener('abort', abort);
    }
    watch(client);
    return client;
  }

  return {
    async open(signal) {
      const base =
        config.clientid || `${config.clientid_prefix ?? ''}${id.slice(id.indexOf(':') + 1)}:${node}`;
      await connect(base, signal);
      for (let i = 1; i < Math.max(fetching, sending); i++) await connect(`${base}:${i}`, signal);
      if (config.ingress) {
        const { topic, qos } = config.ingress.remote;
        const filter = fetching > 1 ? `$share/${id.replaceAll(/[/+#]/g, '-')}/${topic}` : topic;
        for (const client of clients.slice(0, fetching)) {
          const [granted] = await client.subscribeAsync(filter, { qos });
          if (granted && (granted.qos as number) > 2)
            throw new Error(`the other broker refused the subscription to ${topic}`);
        }
      }
      open = true;
    },
    async check() {
      if (!clients.every((client) => client.connected)) throw new Error('the connection is gone');
    },
    async deliver(rows) {
      if (clients.length === 0 || !publish)
        throw new DeliveryError('this bridge brings messages in only', false);
      if (!clients.every((client) => client.connected))
        throw new DeliveryError('the connection is gone', true);
      const send = (row: Row) => publish(clients[spread(row, sending)]!, row);
      // Many on their way at once, in their order: MQTT keeps it
      for (let at = 0; at < rows.length; at += config.max_inflight)
        await Promise.all(rows.slice(at, at + config.max_inflight).map(send));
    },
    async close() {
      open = false;
      const ending = clients;
      clients = [];
      await Promise.all(
        ending.map(async (client) => {
          await client.endAsync(true).catch(() => undefined);
        }),
      );
    },
  };
}

const PORT = 1883;
const TLS_PORT = 8883;

function targetOf({ server, ssl }: MqttConfig) {
  const secure = ssl.enable || server.startsWith('mqtts:');
  const { host, port } = parseServer(server.replace(/^mqtts?:\/\//, ''))!; // the contract has checked it
  return {
    host,
    port: port ?? (secure ? TLS_PORT : PORT),
    tls: secure ? tlsOptions({ ...ssl, enable: true }) : null,
  };
}

function optionsOf(config: MqttConfig, clientId: string): IClientOptions {
  const { username, password, proto_ver, clean_start, keepalive, bridge_mode } = config;
  return {
    clientId,
    protocolVersion: VERSIONS[proto_ver],
    ...(proto_ver === 'v3' && { protocolId: 'MQIsdp' }),
    ...(bridge_mode && proto_ver !== 'v5' && { bridgeMode: true }),
    clean: clean_start,
    keepalive: Math.min(65_535, Math.round(parseDuration(keepalive)! / 1000)),
    reconnectPeriod: 0, // the resource around it knows when
    resubscribe: false,
    queueQoSZero: false,
    ...(username && { username }),
    ...(password && { password }),
  } as IClientOptions;
}

type Remote = NonNullable<MqttConfig['egress']>['remote'];

/** The message unchanged where there is no template of its payload. */
function publisherOf({ topic, qos, retain, payload }: Remote) {
  const name = template(topic);
  const level = template(String(qos));
  const kept = template(String(retain));
  const body = payload === undefined || payload === '' ? null : template(payload);
  return async (client: MqttClient, row: Row): Promise<void> => {
    const value: Value = body === null ? row.payload : body.value(row);
    const message = value instanceof Uint8Array ? Buffer.from(value) : textOf(value);
    const number = Number(level.value(row));
    const to = name.text(row);
    if (to === '' || /[+#\0]/.test(to) || Buffer.byteLength(to) > TOPIC_BYTES_MAX)
      throw new DeliveryError(`"${to.slice(0, 100)}" is no topic`, false);
    try {
      await client.publishAsync(to, message, {
        qos: number === 1 || number === 2 ? number : 0,
        retain: String(kept.value(row)) === 'true' || kept.value(row) === 1,
      });
    } catch (cause) {
      throw new DeliveryError(cause instanceof Error ? cause.message : 'it could not be published', true);
    }
  };
}

function rowOf(topic: string, payload: Buffer, packet: IPublishPacket, server: string): Row {
  const { contentType, responseTopic, correlationData, messageExpiryInterval, userProperties } =
    packet.properties ?? {};
  const properties: Properties = {};
  if (contentType !== undefined) properties.contentType = contentType;
  if (responseTopic !== undefined) properties.responseTopic = responseTopic;
  if (correlationData !== undefined) properties.correlationData = correlationData;
  if (messageExpiryInterval !== undefined) properties.messageExpiryInterval = messageExpiryInterval;
  if (userProperties !== undefined)
    properties.userProperty = Object.entries(userProperties).flatMap(([key, values]) =>
      [values].flat().map((one): [string, string] => [key, one]),
    );
  return {
    topic,
    payload: payloadOf(payload),
    qos: packet.qos,
    dup: packet.dup,
    retain: packet.retain,
    server,
    pub_props: propertiesOf(properties),
    message_received_at: Date.now(),
  };
}

/** A refusal by the other broker in words. */
function explained(cause: unknown, server: string): string {
  const code = (cause as { code?: unknown }).code;
  if (typeof code === 'number') return `the other broker refused the connection: ${(cause as Error).message}`;
  return networkReason(cause, server) ?? (cause as Error).message;
}
