import type { Direction } from '@mqdeck/contract/bridges/parts';
import { connectorConfig, partConfig, typesWith } from '@mqdeck/contract/bridges/parts';
import { type BridgeType, bridgeTypeNames, keptBridge } from '@mqdeck/contract/bridges/types';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { bridgeExamples } from '../../testing/bridge-examples.ts';
import { type ConnectorFields, idle, joined, type PartFields, split } from './parts.ts';

const whole = (type: BridgeType, more: object = {}) =>
  z.parse(keptBridge(type), {
    description: 'of mine',
    resource_opts: { health_check_interval: '3s', start_timeout: '4s', worker_pool_size: 3 },
    ...bridgeExamples[type],
    ...more,
  }) as Record<string, unknown>;

describe.each(bridgeTypeNames)('%s', (type) => {
  test('is the same in two parts as in one piece', () => {
    const config = whole(type);
    const { connector, action, source } = split(type, 'x', config);
    const direction: Direction = action ? 'action' : 'source';
    const fields = z.parse(connectorConfig(type), connector) as ConnectorFields;
    const part = z.parse(partConfig(type, direction), action ?? source) as PartFields;
    expect(z.parse(keptBridge(type), joined(type, fields, part, direction))).toEqual(
      direction === 'action' ? config : { ...config, resource_opts: expect.anything() },
    );
    expect(typesWith(direction)).toContain(type);
  });

  test('has a connector that can be watched without an action, or none that can', () => {
    const { connector } = split(type, 'x', whole(type));
    const alone = idle(type, 'x', connector);
    if (['kafka', 'kafka_consumer', 'gcp_pubsub'].includes(type)) expect(alone).toBeNull();
    else expect(z.safeParse(keptBridge(type), alone).error).toBeUndefined();
  });
});

describe('an URL and its path', () => {
  test.each([
    ['http://h:1', '/a', 'http://h:1/a'],
    ['http://h:1/', 'a', 'http://h:1/a'],
    ['http://h:1/base', '/a/', 'http://h:1/base/a/'],
    ['http://h:1/base', '?q=${q}', 'http://h:1/base?q=${q}'],
    ['http://h:1/base', undefined, 'http://h:1/base'],
  ])('%s and %s are %s', (url, path, result) => {
    const { connector, action } = split('webhook', 'x', whole('webhook'));
    const part = { ...action!, parameters: { ...action!.parameters, path } };
    expect(joined('webhook', { ...connector, url }, part, 'action').url).toBe(result);
  });
});

test('a bridge in both directions is an action and a source, and stays in one piece', () => {
  const ingress = { remote: { topic: 'in/#' } };
  const both = split('mqtt', 'x', whole('mqtt', { ingress }));
  expect(both).toMatchObject({
    action: { parameters: { topic: 'a/${topic}' } },
    source: { parameters: { topic: 'in/#' } },
    inOnePiece: expect.stringContaining('both directions'),
  });
  const fetching = whole('mqtt', { egress: undefined, ingress: { ...ingress, local: { topic: 'x' } } });
  expect(split('mqtt', 'x', fetching).inOnePiece).toMatch(/publishes/);
});
