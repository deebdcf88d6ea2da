import type { AccessQuestion, access } from '@mqdeck/contract/access';
import { isValidFilter, isValidTopic, parseExclusive, parseShared } from '@mqdeck/mqtt/topics';
import type { AccessRequest } from '../../core/hooks.ts';
import { apiError, fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { type Deciders, explainAccess } from './access.ts';

/** A test may hash a password and ask every system behind the broker: what operators ask must not keep clients waiting. */
const AT_ONCE = 4;
const PATIENCE_MS = 15_000;

export function accessApi(deciders: Deciders): Handlers<typeof access> {
  let running = 0;
  return {
    test: async ({ body }) => {
      const request = requestOf(body);
      if (running >= AT_ONCE)
        return fail('SERVICE_UNAVAILABLE', `${AT_ONCE} tests are running already; try again in a moment`);
      running++;
      const explained = explainAccess(deciders, body, request).finally(() => {
        running--;
      });
      return (await inTime(explained)) ?? fail('CLIENTID_NOT_FOUND', 'No client of that id is connected');
    },
  };
}

function requestOf({ action, topic, qos, retain }: AccessQuestion): AccessRequest | null {
  if (topic === undefined) return null;
  if (action === 'publish')
    return isValidTopic(topic)
      ? { action, topic, qos, retain }
      : fail('BAD_TOPIC', 'A topic to publish to has no wildcards and is not empty');
  const filter = parseShared(topic)?.filter ?? parseExclusive(topic) ?? topic;
  if (!isValidFilter(filter))
    return fail('BAD_TOPIC', 'No topic filter: + and # fill a whole level, and # stands last');
  return { action, topic: filter, qos, retain: false };
}

async function inTime<T>(explained: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const why = 'A system behind an authenticator or a source does not answer in time';
    timer = setTimeout(() => reject(apiError('SERVICE_UNAVAILABLE', why)), PATIENCE_MS);
  });
  return Promise.race([explained, late]).finally(() => clearTimeout(timer));
}
