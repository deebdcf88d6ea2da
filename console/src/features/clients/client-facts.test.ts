import { api } from '@mqdeck/contract/api';
import { Client } from '@mqdeck/contract/clients';
import { expect, test } from 'vitest';
import { hasPath } from './address.ts';
import { withoutMountpoint } from './ClientSubscriptions.tsx';
import { ALWAYS_FIELDS, clientColumns } from './client-columns.tsx';
import { clientFilters } from './client-filters.ts';
import { fieldSetOf, OTHER_REASONS } from './field-sets.ts';
import { addressText, protocolText, usesTls } from './protocol.ts';

test('every figure of an MQTT client is a field of the contract', () => {
  const { figures } = fieldSetOf({ proto_name: 'MQTT' });
  const known = Object.keys(Client.shape);
  for (const group of Object.values(figures))
    for (const { field } of group) if (field !== OTHER_REASONS) expect(known).toContain(field);
});

test('the sets of facts follow the protocol', () => {
  const mqtt = fieldSetOf({ proto_name: 'MQTT' });
  expect(fieldSetOf({ proto_name: 'MQIsdp' })).toBe(mqtt);
  const lwm2m = fieldSetOf({ proto_name: 'LwM2M' });
  expect(lwm2m.connection).toContain('endpoint_name');
  expect(lwm2m.session).toContain('reductions');
  const stomp = fieldSetOf({ proto_name: 'STOMP' });
  expect(stomp.connection).not.toContain('clean_start');
  expect(stomp.figures.messagesIn).toBeUndefined();
});

test('the fields that the columns ask for are fields of the contract', () => {
  const known = Object.keys(Client.shape);
  for (const { fields } of clientColumns) for (const field of fields) expect(known).toContain(field);
  for (const field of ALWAYS_FIELDS) expect(known).toContain(field);
});

test('every filter is a key of the query', () => {
  const keys = Object.keys(api.clients.list.query.shape);
  for (const { field } of clientFilters) expect(keys).toContain(field);
});

test('protocol and address read as people write them', () => {
  expect(protocolText({ proto_name: 'MQTT', proto_ver: 5 })).toBe('MQTT 5.0');
  expect(protocolText({ proto_name: 'MQTT', proto_ver: '4' })).toBe('MQTT 3.1.1');
  expect(protocolText({ proto_name: 'MQIsdp', proto_ver: 3 })).toBe('MQTT 3.1');
  expect(protocolText({ proto_name: 'MQTT-SN', proto_ver: '1.2' })).toBe('MQTT-SN 1.2');
  expect(protocolText({})).toBeUndefined();
  expect(addressText({ ip_address: '10.0.4.17', port: 50122 })).toBe('10.0.4.17:50122');
  expect(addressText({ ip_address: '2001:db8::1', port: 1 })).toBe('[2001:db8::1]:1');
});

test('whether a connection is encrypted is told by its listener', () => {
  expect(['ssl:default', 'wss:default', 'quic:q'].map((listener) => usesTls({ listener }))).toEqual([
    true,
    true,
    true,
  ]);
  expect(['tcp:ssl', 'ws:default'].map((listener) => usesTls({ listener }))).toEqual([false, false]);
  for (const listener of [undefined, 'default', '']) expect(usesTls({ listener })).toBeUndefined();
});

test('ids that a browser takes out of a path are known', () => {
  for (const clientid of ['.', '..', '']) expect(hasPath(clientid)).toBe(false);
  for (const clientid of ['x'.repeat(8000), 'é'.repeat(1400), '\ud800'.repeat(1000)])
    expect(hasPath(clientid)).toBe(false); // longer than servers read, once encoded
  for (const clientid of ['x'.repeat(7000), 'é'.repeat(1000)]) expect(hasPath(clientid)).toBe(true);
  for (const clientid of ['a/b', '#', '%2e', '...', ' ', '~', '<b>']) expect(hasPath(clientid)).toBe(true);
});

test('the mountpoint is taken off before the broker puts it on again', () => {
  expect(withoutMountpoint('dev/1/t/#', 'dev/1/')).toBe('t/#');
  expect(withoutMountpoint('t/#', 'dev/1/')).toBe('t/#');
  expect(withoutMountpoint('t/#', null)).toBe('t/#');
});
