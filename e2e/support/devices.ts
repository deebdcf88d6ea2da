import mqtt, {
  type IClientOptions,
  type IConnackPacket,
  type MqttClient,
  type OnMessageCallback,
} from 'mqtt';
import type { RunningServer } from './server.ts';

const connected: MqttClient[] = [];

/** A real client, by a library that is not ours. Version 3 is MQTT 3.1, 4 is 3.1.1, 5 is 5.0. */
export async function connectDevice(
  server: Pick<RunningServer, 'ports'>,
  clientId: string,
  options: IClientOptions & {
    version?: 3 | 4 | 5;
    websocket?: boolean;
    /** Hears also what a kept session sends right behind the CONNACK. */
    onMessage?: OnMessageCallback;
    onConnack?: (packet: IConnackPacket) => void;
  } = {},
): Promise<MqttClient> {
  const { version = 4, websocket = false, onMessage, onConnack, ...rest } = options;
  const url = websocket ? `ws://127.0.0.1:${server.ports.ws}/mqtt` : `mqtt://127.0.0.1:${server.ports.tcp}`;
  const client = mqtt.connect(url, {
    clientId,
    protocolVersion: version,
    protocolId: version === 3 ? 'MQIsdp' : 'MQTT',
    reconnectPeriod: 0,
    ...rest,
  });
  connected.push(client);
  if (onMessage) client.on('message', onMessage);
  if (onConnack) client.once('connect', onConnack);
  return new Promise((resolve, reject) => {
    client.once('connect', () => resolve(client));
    client.once('error', reject);
    client.once('close', () => reject(new Error(`${clientId} could not connect`)));
  });
}

/** Ends all devices but the kept ones. */
export async function disconnectDevices(): Promise<void> {
  await Promise.all(connected.splice(0).map((client) => client.endAsync(true)));
}

/** The devices that are connected now outlive their test; the answer ends them. */
export function keepDevices(): () => Promise<unknown> {
  const kept = connected.splice(0);
  return () => Promise.all(kept.map((client) => client.endAsync(true)));
}

/** Resolves with the reason code of a DISCONNECT, or null when the connection just closed. */
export function disconnected(client: MqttClient): Promise<number | null> {
  return new Promise((resolve) => {
    let reason: number | null = null;
    client.on('disconnect', (packet) => {
      reason = packet.reasonCode ?? null;
    });
    client.on('close', () => resolve(reason));
  });
}
