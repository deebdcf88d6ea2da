import type { RedisSource } from '@mqdeck/contract/authorization';
import type { BackendParts } from '../../../backends/backend.ts';
import { BackendError, type Row } from '../../../backends/backend.ts';
import { AUTHORIZATION_NAMES, parseCommand, render } from '../../../backends/placeholders.ts';
import { openRedis } from '../../../backends/redis.ts';
import type { Source } from '../source.ts';
import { asking } from './asking.ts';
import { Rows } from './rows.ts';

/** What clients may, as hashes of Redis: filters and what is allowed there. Nothing is denied so. */
export const openRedisSource = (config: RedisSource, deps: BackendParts): Source =>
  asking(() => {
    const words = parseCommand(config.cmd, { names: AUTHORIZATION_NAMES, path: 'cmd' });
    const backend = openRedis(config, deps);
    const rows = new Rows(deps.log, config.type);
    return {
      backend,
      ask: async (values, who, request) => {
        const [name, ...args] = words.map((word) => render(word, values));
        return rows.judge(rowsOf(await backend.command(name!, args)), who, request);
      },
    };
  });

/** Of an answer to HGETALL: names and values in turn. */
function rowsOf(answer: unknown): Row[] {
  if (!Array.isArray(answer)) throw new BackendError('the answer is no hash');
  const rows: Row[] = [];
  for (let i = 0; i + 1 < answer.length; i += 2) {
    const rule = ruleOf(answer[i + 1]);
    rows.push({ ...rule, permission: 'allow', topic: answer[i] });
  }
  return rows;
}

/** `publish`, or JSON with action, qos and retain. */
function ruleOf(value: unknown): Row {
  if (typeof value !== 'string' || !value.startsWith('{')) return { action: value };
  try {
    const { action, qos, retain } = JSON.parse(value) as Record<string, unknown>;
    return { action, qos, retain };
  } catch {
    return { action: null }; // told as a row that is no rule
  }
}
