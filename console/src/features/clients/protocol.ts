import type { Client } from '@mqdeck/contract/clients';

const MQTT_VERSIONS: Readonly<Record<string, string>> = { '3': '3.1', '4': '3.1.1', '5': '5.0' };

/** "MQTT 5.0"; MQIsdp is the name that MQTT 3.1 gives itself. A gateway's clients keep their own words. */
export function protocolText({ proto_name, proto_ver }: Partial<Client>): string | undefined {
  if (proto_name === undefined) return undefined;
  const version = proto_ver === undefined ? '' : String(proto_ver);
  const mqtt = proto_name === 'MQTT' || proto_name === 'MQIsdp';
  return `${mqtt ? 'MQTT' : proto_name} ${mqtt ? (MQTT_VERSIONS[version] ?? version) : version}`.trim();
}

/** `10.0.4.17:50122`, `[2001:db8::1]:50122`. */
export function addressText({ ip_address, port }: Partial<Client>): string | undefined {
  if (ip_address === undefined) return undefined;
  const host = ip_address.includes(':') ? `[${ip_address}]` : ip_address;
  return port === undefined ? host : `${host}:${port}`;
}

/** By the kind of listener it came through, which its name begins with; undefined where that is not known. */
export function usesTls({ listener }: Pick<Client, 'listener'>): boolean | undefined {
  const [, kind] = /^(tcp|ws|ssl|wss|quic|tls|dtls|udp):/.exec(listener ?? '') ?? [];
  return kind === undefined ? undefined : !['tcp', 'ws', 'udp'].includes(kind);
}
